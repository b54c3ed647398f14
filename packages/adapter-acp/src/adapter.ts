/** A program that speaks the Agent Client Protocol as a backend. Wires the parts together and holds no rule of its own. */
import { randomUUID } from 'node:crypto'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { defineAdapter, knownTools, readMcpFile, requireOwnName } from '@roundhouse/adapter-kit'
import { asText, type Json } from '@roundhouse/adapter-kit/read'
import {
  type AdapterContext,
  type BackendAdapter,
  CodedError,
  resolveSpawnOptions,
  type SpawnOptions,
} from '@roundhouse/backend-types'
import { leftOutOf, loadWaitMs } from './program/files'
import { planLaunch, refuseUnsupported } from './program/launch'
import { findBinary, manifestTimeoutMs, readManifest } from './program/manifest'
import { mcpServersOf, ownServersOf } from './program/mcp-servers'
import { type AcpProgram, acceptedBy, capabilitiesOf } from './program/program'
import { refuseCommand } from './program/slash-commands'
import { AcpSession, defaultTiming, type SessionPlan, type Timing } from './session'

export interface AcpTiming extends Timing {
  manifestTimeoutMs: number
}

export function createAcpAdapter(
  program: AcpProgram,
  context: AdapterContext,
  times: Partial<AcpTiming> = {},
): BackendAdapter {
  const timing = { ...defaultTiming, manifestTimeoutMs, ...times }
  return defineAdapter({
    type: program.kind,
    capabilities: capabilitiesOf(program),
    accepted: acceptedBy(program),
    start: async (asked) => AcpSession.start(await planSession(program, context, resolveSpawnOptions(asked), timing)),
    refusePrompt: (text) => refuseCommand(program.profile, text),
    ...knownTools(program.profile.tools),
    getManifest: () => readManifest(program, context, timing.manifestTimeoutMs),
  })
}

async function planSession(
  program: AcpProgram,
  context: AdapterContext,
  options: SpawnOptions,
  timing: Timing,
): Promise<SessionPlan> {
  refuseUnsupported(options, program)
  const { profile } = program
  const workDir = await existing(options.workDir, program.label)
  const file = await findBinary(program, context)
  const trusted = context.trustProjectConfig === true
  const mcpServers = await mcpServersFor(
    options,
    trusted ? profile.guard.projectFiles.map(({ path }) => path) : [],
    workDir,
  )
  if (options.resumeId !== undefined)
    await pause(await loadWaitMs(profile.history.loadTrap, context.env.HOME, options.resumeId))
  const id = randomUUID()
  const tmpDir = join(context.scratchDir, `acp-${id}`)
  await mkdir(tmpDir, { recursive: true, mode: 0o700 })
  const instructions = profile.says.systemPrompt === 'file' ? await written(tmpDir, options.systemPrompt) : undefined
  const { env, deny } = context
  const launch = planLaunch(options, program, { env, tmpDir, trustProjectConfig: trusted, instructions, deny })
  const leftOut = trusted ? [] : await leftOutOf(workDir, profile)
  return {
    id,
    program,
    file,
    launch,
    options,
    workDir,
    timing,
    tmpDir,
    mcpServers,
    leftOut,
    markedBy: context.markedBy,
  }
}

/** `files`: what the repository configures and the program loads. */
async function mcpServersFor(options: SpawnOptions, files: readonly string[], workDir: string): Promise<Json[]> {
  const { mcpConfigPath } = options
  const given = mcpConfigPath === undefined ? [] : mcpServersOf(await readMcpFile(mcpConfigPath))
  await requireOwnName(options, {
    given: given.flatMap(({ name }) => asText(name) ?? []),
    files: files.map((file) => join(workDir, file)),
  })
  return [...given, ...ownServersOf(options.mcpServers)]
}

async function existing(workDir: string | undefined, label: string): Promise<string> {
  if (workDir === undefined)
    throw new CodedError('INVALID_ARGUMENT', `${label} needs a folder to work in.`, { field: 'workDir' })
  await stat(workDir).catch((cause) => {
    throw new CodedError('INVALID_ARGUMENT', 'The work folder does not exist.', { field: 'workDir' }, cause)
  })
  return workDir
}

async function written(folder: string, systemPrompt: string | undefined): Promise<string | undefined> {
  if (systemPrompt === undefined) return undefined
  const file = join(folder, 'instructions.md')
  await writeFile(file, systemPrompt, { mode: 0o600 })
  return file
}
