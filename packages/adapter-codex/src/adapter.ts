/** Codex as a backend: one `codex app-server` per session. Wires the parts together and holds no rule of its own. */

import { randomUUID } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { defineAdapter, readMcpFile, requireOwnName } from '@roundhouse/adapter-kit'
import type { Json } from '@roundhouse/adapter-kit/read'
import {
  type AdapterContext,
  type BackendAdapter,
  CodedError,
  resolveSpawnOptions,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { listSessions, readSession } from './history/history'
import { findRollout } from './history/rollout-file'
import { about } from './program/about'
import { findBinary } from './program/binary'
import { codexCapabilities } from './program/capabilities'
import { planLaunch, refuseUnsupported } from './program/launch'
import { manifestTimeoutMs, readManifest } from './program/manifest'
import { mcpServersOf, ownServersOf } from './program/mcp-config'
import { configurationAbove, leftOutOf, readProjectNotes } from './program/project-notes'
import { accepted } from './program/settings'
import { CodexSession, defaultTiming, type SessionPlan, type Timing } from './session'
import { refuseCommand } from './slash-commands'
import { codexTools } from './tools'

export interface CodexTiming extends Timing {
  manifestTimeoutMs: number
}

export function createCodexAdapter(context: AdapterContext, times: Partial<CodexTiming> = {}): BackendAdapter {
  const timing = { ...defaultTiming, manifestTimeoutMs, ...times }
  return defineAdapter({
    type: about.kind,
    capabilities: codexCapabilities,
    accepted,
    start: async (asked) => CodexSession.start(await planSession(context, resolveSpawnOptions(asked), timing)),
    refusePrompt: refuseCommand,
    ...codexTools,
    listSessions: () => listSessions(context),
    readSession: (backendSessionId) => readSession(context, backendSessionId),
    transcriptFile: (backendSessionId) => findRollout(context.env, backendSessionId),
    isOnlyWriter: true,
    getManifest: () => readManifest(context, timing.manifestTimeoutMs),
  })
}

async function planSession(context: AdapterContext, options: SpawnOptions, timing: Timing): Promise<SessionPlan> {
  refuseUnsupported(options)
  const { workDir } = options
  if (workDir === undefined)
    throw new CodedError('INVALID_ARGUMENT', 'Codex needs a folder to work in.', { field: 'workDir' })
  const realWorkDir = await realpath(workDir).catch((cause) => {
    throw new CodedError('INVALID_ARGUMENT', 'The work folder does not exist.', { field: 'workDir' }, cause)
  })
  const command = await findBinary(context)
  const trusted = context.trustProjectConfig === true
  const mcpServers = await mcpServersFor(options, trusted ? configurationAbove(realWorkDir) : [])
  const notes = trusted ? undefined : await notesFor(context, realWorkDir)
  const id = randomUUID()
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
    id,
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

/** `files`: what the repository configures and Codex loads. */
async function mcpServersFor(options: SpawnOptions, files: readonly string[]): Promise<Json | undefined> {
  const { mcpConfigPath, mcpServers: own } = options
  const given = mcpConfigPath === undefined ? undefined : mcpServersOf(await readMcpFile(mcpConfigPath))
  await requireOwnName(options, { given: Object.keys(given ?? {}), files })
  return own === undefined ? given : { ...given, ...ownServersOf(own) }
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
