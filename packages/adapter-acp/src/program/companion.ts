/**
 * The second process of a session: a gateway that the program talks to on a private port. It starts before the program, and ends
 * with it. If it ends first, the program has nobody to talk to, and is ended. It carries the marks of the session, so whoever ends what
 * a dead host left finds it too.
 *
 * What it keeps of a conversation is in one folder for each, below the owner's home. The program names a conversation only once it
 * runs, so a small file with that name says which folder it is.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ChildProgram } from '@roundhouse/adapter-kit'
import { CodedError, isLack, outOfResources } from '@roundhouse/backend-types'
import type { Companion } from '../profiles/profile'
import { beforeItDies, plain } from './spawned'

export interface CompanionPlan {
  companion: Companion
  args: string[]
  port: number
  token: string
  stateRoot: string
  stateName: string
  /** For the companion and for the program. */
  env: Record<string, string>
}

/** Rejects with `RESUME_UNAVAILABLE` where nothing is kept of this conversation. */
export async function planCompanion(
  companion: Companion,
  argsBefore: readonly string[],
  home: string | undefined,
  resumeId: string | undefined,
): Promise<CompanionPlan> {
  if (home === undefined) throw new CodedError('BACKEND_UNAVAILABLE', 'The environment of the machine names no HOME.')
  const stateRoot = join(home, companion.stateFolder)
  const stateName = resumeId === undefined ? randomUUID() : await keptOf(stateRoot, resumeId)
  const state = join(stateRoot, stateName)
  const port = await freePort()
  const token = randomBytes(24).toString('hex')
  const env = { [companion.stateVariable]: state, [companion.cacheVariable]: join(stateRoot, 'compile-cache') }
  return { companion, args: [...argsBefore, ...companion.args], port, token, stateRoot, stateName, env }
}

const fileOf = (stateRoot: string, conversationId: string) => join(stateRoot, `${conversationId}.folder`)

async function keptOf(stateRoot: string, resumeId: string): Promise<string> {
  const name = /^[\w:.-]+$/.test(resumeId) ? await readFile(fileOf(stateRoot, resumeId), 'utf8').catch(() => '') : ''
  if (/^[\da-f-]{36}$/.test(name)) return name
  throw new CodedError('RESUME_UNAVAILABLE', undefined, { message: 'Nothing is kept of this conversation.' })
}

export async function rememberConversation({ stateRoot, stateName }: CompanionPlan, id: string): Promise<void> {
  if (/^[\w:.-]+$/.test(id)) await writeFile(fileOf(stateRoot, id), stateName, { mode: 0o600 })
}

/** Of a start that came to no conversation. */
export const removeState = ({ stateRoot, stateName }: CompanionPlan): Promise<void> =>
  rm(join(stateRoot, stateName), { recursive: true, force: true }).catch(() => {})

/** Another process may take it in the meantime: then the companion says so, and does not start. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

export interface CompanionStart {
  label: string
  plan: CompanionPlan
  file: string
  env: Record<string, string>
  workDir: string
  graceMs: number
  timeoutMs: number
  /** By itself, and what it said last. */
  exited(said: string): void
}

const LOOK_EVERY_MS = 100

/** Resolves once it is ready, with what ends it. Where it does not become ready, it is ended, and this rejects. */
export async function startCompanion(start: CompanionStart): Promise<() => Promise<void>> {
  const { plan, file, env, workDir, graceMs, timeoutMs } = start
  const label = `The ${plan.companion.label} of ${start.label}`
  await mkdir(join(plan.stateRoot, plan.stateName), { recursive: true, mode: 0o700 })
  const child = spawnQuietly(label, { file, args: plan.args, env, workDir, graceMs }, start)
  try {
    await child.spawned
    const url = `http://127.0.0.1:${plan.port}${plan.companion.readyPath}`
    await beforeItDies(label, child, timeoutMs, untilReady(url, child))
    return () => child.end()
  } catch (error) {
    await child.end()
    if (isLack(error)) throw outOfResources(error)
    throw error
  }
}

/** Its output is drained, and only its last words are kept. */
function spawnQuietly(
  label: string,
  command: Omit<ConstructorParameters<typeof ChildProgram>[0], 'endsDescendants'>,
  { exited }: CompanionStart,
): ChildProgram {
  const silent = () => {}
  let child: ChildProgram | undefined
  try {
    child = new ChildProgram(
      { ...command, endsDescendants: true },
      {
        line: silent,
        tooLong: silent,
        exit: (code, info) => {
          const said = `${label} ended (${info.signal ?? code}). ${plain(info.stderrTail)}`.trim()
          if (child?.isEnding !== true) exited(said)
        },
      },
    )
    return child
  } catch (cause) {
    throw new CodedError('BACKEND_UNAVAILABLE', `${label} could not be started: ${String(cause)}`, undefined, cause)
  }
}

async function untilReady(url: string, child: ChildProgram): Promise<void> {
  while (!child.hasExited && !child.isEnding) {
    const answered = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => {
        await response.body?.cancel()
        return response.ok
      },
      () => false,
    )
    if (answered) return
    await pause(LOOK_EVERY_MS)
  }
  throw new CodedError('BACKEND_UNAVAILABLE', 'It ended before it was ready.')
}
