/** Codex as a backend: one `codex app-server` per session. Wires the parts together and holds no rule of its own. */

import { randomUUID } from 'node:crypto'
import { mkdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { listeners } from '@roundhouse/adapter-kit'
import {
  type AdapterContext,
  type BackendAdapter,
  type BackendProcess,
  CodedError,
  resolveSpawnOptions,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { listSessions, readSession } from './history/history'
import { findRollout } from './history/rollout-file'
import { findBinary } from './program/binary'
import { codexCapabilities } from './program/capabilities'
import { planLaunch, refuseUnsupported } from './program/launch'
import { manifestTimeoutMs, readManifest } from './program/manifest'
import { mcpServersOf } from './program/mcp-config'
import { leftOutOf, readProjectNotes } from './program/project-notes'
import { query } from './queries'
import { CodexSession, defaultTiming, type SessionPlan, type Timing } from './session'
import { commandOf, refuseCommand } from './slash-commands'

export interface CodexTiming extends Timing {
  manifestTimeoutMs: number
}

export function createCodexAdapter(context: AdapterContext, times: Partial<CodexTiming> = {}): BackendAdapter {
  const timing = { ...defaultTiming, manifestTimeoutMs, ...times }
  const sessions = new Map<string, CodexSession>()

  const sessionOf = (process: BackendProcess): CodexSession => {
    const session = sessions.get(process.id)
    if (!session) throw new CodedError('BACKEND_CRASHED', 'That process is gone.')
    return session
  }
  /** Undefined for a process that is gone or going. */
  const live = (process: BackendProcess) => sessions.get(process.id)?.live
  const conversationOf = (process: BackendProcess) => {
    const conversation = live(process)
    if (!conversation) throw new CodedError('BACKEND_CRASHED', 'That process is gone.')
    return conversation
  }

  return {
    type: 'codex',
    capabilities: codexCapabilities,
    async spawn(asked) {
      const options = resolveSpawnOptions(asked)
      const id = randomUUID()
      const plan = await planSession(context, options, id, timing)
      const session = await CodexSession.start(plan)
      sessions.set(id, session)
      return {
        id,
        workDir: plan.workDir,
        ...(session.pid === undefined ? {} : { pid: session.pid }),
        kill: () => session.end().finally(() => sessions.delete(id)),
        isAlive: () => session.isAlive(),
      }
    },
    ...listeners((process) => sessionOf(process).relay),
    stop: (process) => process.kill(),
    send(process, input, images) {
      const conversation = conversationOf(process)
      sessionOf(process).relay.open()
      if (!sessionOf(process).runs(input)) conversation.send(input, images)
    },
    steer: async (process, input, images) =>
      commandOf(input) === null && ((await live(process)?.steer(input, images)) ?? false),
    interrupt: async (process) => live(process)?.interrupt(),
    async configure(process, change) {
      conversationOf(process) // throws where it is gone
      sessionOf(process).configure(change)
      return []
    },
    async respondToPermission(process, decision) {
      const conversation = live(process)
      if (!conversation) throw new CodedError('REQUEST_GONE')
      await conversation.answer(decision)
    },
    pauseOutput: (process, paused) => sessions.get(process.id)?.pauseOutput(paused),
    query: async (process, method, params) => query(sessionOf(process), method, params),
    stopTask: async (process, taskId) => conversationOf(process).stopTask(taskId),
    refusePrompt: refuseCommand,
    listSessions: () => listSessions(context),
    readSession: (backendSessionId) => readSession(context, backendSessionId),
    transcriptFile: (backendSessionId) => findRollout(context.env, backendSessionId),
    isOnlyWriter: true,
    getManifest: () => readManifest(context, timing.manifestTimeoutMs),
  }
}

async function planSession(
  context: AdapterContext,
  options: SpawnOptions,
  id: string,
  timing: Timing,
): Promise<SessionPlan> {
  refuseUnsupported(options)
  const { workDir } = options
  if (workDir === undefined)
    throw new CodedError('INVALID_ARGUMENT', 'Codex needs a folder to work in.', { field: 'workDir' })
  const realWorkDir = await realpath(workDir).catch((cause) => {
    throw new CodedError('INVALID_ARGUMENT', 'The work folder does not exist.', { field: 'workDir' }, cause)
  })
  const command = await findBinary({ binaryPath: context.binaryPath, path: context.env.PATH })
  const mcpServers =
    options.mcpConfigPath === undefined ? undefined : mcpServersOf(await readMcpFile(options.mcpConfigPath))
  const trusted = context.trustProjectConfig === true
  const notes = trusted ? undefined : await notesFor(context, realWorkDir)
  const tmpDir = join(context.scratchDir, `codex-${id}`)
  const launch = planLaunch(options, {
    env: context.env,
    workDir,
    realWorkDir,
    tmpDir,
    mcpServers,
    trustProjectConfig: trusted,
    notes,
  })
  await mkdir(tmpDir, { recursive: true, mode: 0o700 })
  return {
    command,
    launch,
    options,
    workDir,
    timing,
    tmpDir,
    denied: await realOnes(context.deny?.inSandbox ? context.deny.paths : []),
    mayLeave: context.mayLeave,
    markedBy: context.markedBy,
    leftOut: trusted ? [] : await leftOutOf(realWorkDir),
  }
}

async function notesFor({ roots, deny, hideSecrets }: AdapterContext, workDir: string): Promise<string | undefined> {
  const denied = await realOnes(deny?.paths ?? [])
  const notes = await readProjectNotes({ workDir, roots: roots ?? [workDir], denied })
  return notes === undefined ? undefined : (hideSecrets?.(notes) ?? notes)
}

/** A sandbox would have to make what is not there, and leave it behind. */
async function realOnes(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => [])))
  return [...new Set(found.flat())]
}

async function readMcpFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause) => {
    throw new CodedError('INVALID_ARGUMENT', 'The MCP configuration cannot be read.', { field: 'mcpConfigPath' }, cause)
  })
}
