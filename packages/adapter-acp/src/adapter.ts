/** A program that speaks the Agent Client Protocol as a backend. Wires the parts together and holds no rule of its own. */
import { randomUUID } from 'node:crypto'
import { mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
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
import { planCompanion } from './program/companion'
import { firstIn, leftOutOf, loadWaitMs, removeEmptyTwins } from './program/files'
import { planLaunch, refuseUnsupported } from './program/launch'
import { startOf } from './program/launcher'
import { findBinary, manifestTimeoutMs, readManifest } from './program/manifest'
import { mcpServersOf, ownServersOf } from './program/mcp-servers'
import { requireNode } from './program/node-engine'
import { writePrivateConfig } from './program/private-config'
import { type AcpProgram, acceptedBy, argvOf, capabilitiesOf } from './program/program'
import { refuseCommand } from './program/slash-commands'
import { AcpSession } from './session'
import { defaultTiming, type SessionPlan, type Timing } from './session-plan'

export interface AcpTiming extends Timing {
  manifestTimeoutMs: number
}

export function createAcpAdapter(
  program: AcpProgram,
  context: AdapterContext,
  times: Partial<AcpTiming> = {},
): BackendAdapter {
  const { startTimeoutMs = defaultTiming.startTimeoutMs } = program.profile.launch ?? {}
  const timing = { ...defaultTiming, startTimeoutMs, manifestTimeoutMs, ...times }
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
  const found = await findBinary(program, context)
  if (profile.launch?.needsNode) await requireNode(program.label, found, context.env)
  const { file, before } = await startOf(profile, found, context.env)
  const mcpServers = await mcpServersFor(
    options,
    context.trustProjectConfig === true ? profile.guard.projectFiles.map(({ path }) => path) : [],
    workDir,
  )
  const { history } = profile
  // Each start of the program in this folder may delete, also that of another session.
  await removeEmptyTwins(history.emptyTwins, context.env.HOME)
  if (options.resumeId !== undefined) await untilLoadable(program, context, options.resumeId)
  const id = randomUUID()
  const tmpDir = join(context.scratchDir, `acp-${id}`)
  await mkdir(tmpDir, { recursive: true, mode: 0o700 })
  try {
    const prepared = await prepare(program, context, options, { workDir, tmpDir })
    const launch = { ...prepared.launch, args: [...before, ...prepared.launch.args] }
    const { markedBy, modelsFolder: folder } = context
    const plan = { id, program, file, options, workDir, timing, tmpDir, mcpServers, markedBy, ...prepared, launch }
    return folder === undefined ? plan : { ...plan, models: { folder, kind: program.kind, file: found } }
  } catch (error) {
    await rm(tmpDir, { recursive: true, force: true })
    throw error
  }
}

async function untilLoadable(
  { label, profile: { history } }: AcpProgram,
  { env, startWaits }: AdapterContext,
  resumeId: string,
): Promise<void> {
  const { loadTrap } = history
  const waitMs = await loadWaitMs(loadTrap, env.HOME, resumeId)
  if (loadTrap === undefined || waitMs === 0) return
  startWaits?.(loadTrap.why(label))
  await pause(waitMs)
  startWaits?.(null)
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

/** Everything that is written for this one process, and how it is started with that. */
async function prepare(
  program: AcpProgram,
  { env, deny, trustProjectConfig: trusted = false }: AdapterContext,
  options: SpawnOptions,
  { workDir, tmpDir }: Pick<SessionPlan, 'workDir' | 'tmpDir'>,
): Promise<Pick<SessionPlan, 'launch' | 'companion' | 'leftOut'>> {
  const { says, launch: needs = {} } = program.profile
  const instructions =
    says.systemPrompt === 'file' ? await written(tmpDir, 'instructions.md', options.systemPrompt) : undefined
  const rules = await writtenRules(program, tmpDir, deny, workDir)
  const launch = planLaunch(options, program, { env, tmpDir, trustProjectConfig: trusted, instructions, rules, deny })
  const leftOut = trusted ? [] : await leftOutOf(workDir, program.profile)
  const companion =
    needs.companion && (await planCompanion(needs.companion, argvBefore(program), env.HOME, options.resumeId))
  const place = { options, workDir, tmpDir, deny, gateway: companion, trustProjectConfig: trusted }
  const config = needs.privateConfig && (await writePrivateConfig(needs.privateConfig, env, place))
  return { launch: { ...launch, env: { ...launch.env, ...companion?.env, ...config } }, companion, leftOut }
}

/** What stands before the program's own arguments where the policy names a script and what runs it. */
function argvBefore(program: AcpProgram): string[] {
  const [, ...args] = argvOf(program)
  const own = args.indexOf(program.profile.argv[1] ?? '')
  return own < 0 ? args : args.slice(0, own)
}

async function existing(workDir: string | undefined, label: string): Promise<string> {
  if (workDir === undefined)
    throw new CodedError('INVALID_ARGUMENT', `${label} needs a folder to work in.`, { field: 'workDir' })
  await stat(workDir).catch((cause) => {
    throw new CodedError('INVALID_ARGUMENT', 'The work folder does not exist.', { field: 'workDir' }, cause)
  })
  return workDir
}

async function writtenRules(
  { label, profile }: AcpProgram,
  folder: string,
  deny: AdapterContext['deny'],
  workDir: string,
): Promise<string | undefined> {
  const { rules } = profile.guard
  if (rules === undefined) return undefined
  const overruling = await firstIn(rules.overruledBy)
  if (overruling !== undefined) {
    const message = `${label} ignores the rules that make it ask about commands, because this machine has ${overruling}.`
    throw new CodedError('BACKEND_UNAVAILABLE', message)
  }
  return written(folder, 'rules.toml', rules.text(deny, await realpath(workDir)))
}

async function written(folder: string, name: string, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined
  const file = join(folder, name)
  await writeFile(file, text, { mode: 0o600 })
  return file
}
