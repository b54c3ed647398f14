/** Generates `docs/parity.md` from the tables beside this file, and finds the test that each row names. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../architecture/import-graph'
import { adapterContract } from './adapter-contract'
import { agentContract } from './agent-contract'
import { bridgeContract } from './bridge-contract'
import { channelRuntime } from './channel-runtime'
import { eventConvention } from './event-convention'
import type { ParityDocument, ParityRow } from './rows'

export const documents: readonly ParityDocument[] = [
  adapterContract,
  bridgeContract,
  eventConvention,
  agentContract,
  channelRuntime,
]

/** The suites of rules beside the tests: they run against every backend. */
const isTest = (file: string) =>
  !isOfOtherRuns(file) && (/\.(test|spec|suite)\.tsx?$/.test(file) || /\/suite\/.*\.ts$/.test(file))
/** With commands of their own. */
const isOfOtherRuns = (file: string) => /\/(more|long)\/|\/real-acp-[^/]*$/.test(file)
const leftOut = new Set(['node_modules', 'dist', '.next', 'generated', 'test-results'])

function* testFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(path.join(repositoryRoot, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory() && !leftOut.has(entry.name)) yield* testFiles(name)
    else if (entry.isFile() && isTest(name)) yield name
  }
}

/** `npm test` does not play it: it is a variation, or stands in a group of them (CONTRIBUTING.md). */
function isVariation(lines: readonly string[], at: number): boolean {
  let outer = Number.POSITIVE_INFINITY
  for (let n = at; n >= 0; n -= 1) {
    const line = lines[n] ?? ''
    const indent = line.search(/\S/)
    if (indent < 0 || indent >= outer) continue
    outer = indent
    if (/\bvariation(s|sUnless)?\b|!wholeMatrix|runIf\(wholeMatrix/.test(line)) return true
  }
  return false
}

function isTitleIn(text: string, title: string): boolean {
  const quoted = ["'", '"', '`'].map((quote) => `${quote}${title}${quote}`)
  if (!quoted.some((one) => text.includes(one))) return false
  const lines = text.split('\n')
  return lines.some((line, at) => quoted.some((one) => line.includes(one)) && !isVariation(lines, at))
}

/** By title: the first file that has it as a text of its own, in a test that every run plays. */
export function findTests(titles: Iterable<string>): Map<string, string> {
  const missing = new Set(titles)
  const found = new Map<string, string>()
  for (const file of ['apps', 'packages', 'e2e'].flatMap((folder) => [...testFiles(folder)]).sort()) {
    const text = readFileSync(path.join(repositoryRoot, file), 'utf8')
    for (const title of missing) {
      if (!isTitleIn(text, title)) continue
      found.set(title, file)
      missing.delete(title)
    }
  }
  return found
}

export const rowsOf = (document: ParityDocument): ParityRow[] => document.sections.flatMap(({ rows }) => rows)

const cell = (text: string) => text.replaceAll('|', '\\|')

function table(rows: readonly ParityRow[], tests: ReadonlyMap<string, string>): string {
  const lines = rows.map(({ name, test, note = '' }) => {
    const file = tests.get(test) ?? 'nowhere'
    return `| ${cell(name)} | [${cell(test)}](../${file}) | ${cell(note)} |`
  })
  return ['| In the document | The test that shows it | Here |', '| --- | --- | --- |', ...lines].join('\n')
}

export function parityPage(): string {
  const tests = findTests(documents.flatMap(rowsOf).map(({ test }) => test))
  const parts = documents.map(({ title, about, sections }) => {
    const tables = sections.map(({ heading, rows }) => `### ${heading}\n\n${table(rows, tests)}`)
    return [`## ${title}`, about, ...tables].join('\n\n')
  })
  return `# Parity

Roundhouse implements published contracts. This page lists each type, field, message, option, method, error and rule of them, with a
test that shows it. Where something differs, the last column says how and why. \`parity.test.ts\` generates the page from the tables in
\`scripts/parity\`; to update it, run \`npx vitest run scripts/parity -u\`. A row whose test does not exist, or waits for
\`npm run matrix\`, fails that test.

${parts.join('\n\n')}
`
}
