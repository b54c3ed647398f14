/**
 * Whether the Node.js of the PATH is one that a program of JavaScript accepts, by the `engines` of its own package. Anything that
 * cannot be read here is no reason to refuse: the program itself says what it lacks.
 */
import { open, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { askVersion } from '@roundhouse/adapter-kit'
import { asRecord, asText } from '@roundhouse/adapter-kit/read'
import { CodedError } from '@roundhouse/backend-types'

const ANSWER_WITHIN_MS = 5_000

/** Rejects with `BACKEND_UNAVAILABLE`, which Node.js it needs and which is here. */
export async function requireNode(label: string, file: string, env: Readonly<Record<string, string>>): Promise<void> {
  if (!(await runsOnNode(file).catch(() => false))) return
  const wanted = await wantedBy(file).catch(() => undefined)
  const here = wanted === undefined ? undefined : await nodeOn(env, dirname(file))
  if (wanted === undefined || here === undefined || accepts(wanted, here)) return
  const message = `${label} needs Node.js ${wanted}. The node on this machine's PATH is ${here}.`
  throw new CodedError('BACKEND_UNAVAILABLE', message)
}

/** Its first line asks for the node of the PATH. */
async function runsOnNode(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0)
    return /^#!\S*\benv (-S )?node\b/.test(buffer.subarray(0, bytesRead).toString('utf8'))
  } finally {
    await handle.close()
  }
}

async function wantedBy(file: string): Promise<string | undefined> {
  const described = asRecord(JSON.parse(await readFile(join(dirname(await realpath(file)), 'package.json'), 'utf8')))
  return asText(asRecord(described.engines).node)
}

function nodeOn(env: Readonly<Record<string, string>>, workDir: string): Promise<string | undefined> {
  const question = { name: 'node', file: 'node', env: { ...env }, workDir, timeoutMs: ANSWER_WITHIN_MS }
  return askVersion(question).catch(() => undefined)
}

/** Comparisons (`>=24.16.0 <25`) that all hold, and `||` between several. True for a range in any other words. */
export function accepts(range: string, version: string): boolean {
  return range.split('||').some((part) =>
    part
      .trim()
      .split(/\s+/)
      .every((one) => holds(one, version)),
  )
}

function holds(comparison: string, version: string): boolean {
  const [, operator, wanted] = /^(>=|<=|>|<|=)v?(\d+(?:\.\d+){0,2})$/.exec(comparison) ?? []
  if (operator === undefined || wanted === undefined) return true
  const order = compare(version, wanted)
  if (operator === '=') return order === 0
  return operator.startsWith('>')
    ? order > 0 || (order === 0 && operator === '>=')
    : order < 0 || (order === 0 && operator === '<=')
}

function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number)) as [number[], number[]]
  for (let at = 0; at < 3; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
