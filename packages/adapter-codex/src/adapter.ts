/** Codex as a backend: one `codex app-server` per session. Wires the parts together and holds no rule of its own. */

import { randomUUID } from 'node:crypto'
import { mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AdapterContext,
  type BackendAdapter,
  type BackendProcess,
  CodedError,
  resolveSpawnOptions,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { findBinary } from './binary'
import { codexCapabilities } from './capabilities'
import { planLaunch, refuseUnsupported } from './launch'
import { manifestTimeoutMs, readManifest } from './manifest'
import { mcpServersOf } from './mcp-config'
import { CodexSession, defaultTiming, type SessionEvents, type SessionPlan, type Timing } from './session'

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
  const on = <K extends keyof SessionEvents>(
    process: BackendProcess,
    type: K,
    handler: (value: SessionEvents[K]) => void,
  ) => sessionOf(process).outbox.on(type, handler)

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
    stop: (process) => process.kill(),
    send: (process, input) => sessionOf(process).send(input),
    steer: (process, input) => sessionOf(process).steer(input),
    interrupt: (process) => sessionOf(process).interrupt(),
    async configure(process, change) {
      sessionOf(process).configure(change)
      return []
    },
    respondToPermission: (process, decision) => sessionOf(process).answer(decision),
    onOutput: (process, handler) => on(process, 'output', handler),
    onLive: (process, handler) => on(process, 'live', handler),
    onPermissionRequest: (process, handler) => on(process, 'ask', handler),
    onPermissionWithdrawn: (process, handler) => on(process, 'withdrawn', handler),
    onTurnStarted: (process, handler) => on(process, 'turnStarted', handler),
    onTurnComplete: (process, handler) => on(process, 'turnComplete', handler),
    onTokenBudgetWarning: (process, handler) => on(process, 'budget', handler),
    onSessionStarted: (process, handler) => on(process, 'started', handler),
    onError: (process, handler) => on(process, 'error', handler),
    onExit: (process, handler) =>
      on(process, 'exit', ({ code, info }) => {
        sessions.delete(process.id)
        handler(code, info)
      }),
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
  const tmpDir = join(context.scratchDir, `codex-${id}`)
  const launch = planLaunch(options, {
    env: context.env,
    workDir,
    realWorkDir,
    tmpDir,
    mcpServers,
    trustProjectConfig: context.trustProjectConfig === true,
  })
  await mkdir(tmpDir, { recursive: true, mode: 0o700 })
  return { command, launch, options, workDir, timing, cleanUp: () => rm(tmpDir, { recursive: true, force: true }) }
}

async function readMcpFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause) => {
    throw new CodedError('INVALID_ARGUMENT', 'The MCP configuration cannot be read.', { field: 'mcpConfigPath' }, cause)
  })
}
