/** What a program on this machine can do. Never rejects, and ends what it starts. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { askVersion, findProgram } from '@roundhouse/adapter-kit'
import { asRecord, asText } from '@roundhouse/adapter-kit/read'
import {
  type AdapterContext,
  type BackendManifestEntry,
  type Capabilities,
  isUnanswered,
  toCodedError,
} from '@roundhouse/backend-types'
import { knownModels } from './known-models'
import { bareEnvironment } from './launch'
import { requireNode } from './node-engine'
import { type AcpProgram, acceptedBy, argvOf, capabilitiesOf } from './program'
import { resumeMethod } from './resume-method'
import { beforeItDies, introduce, spawnProgram } from './spawned'

export const manifestTimeoutMs = 8_000

/** The program of the policy's path, of an absolute path, or of this name on the PATH. */
export function findBinary(program: AcpProgram, context: AdapterContext): Promise<string> {
  const [name] = argvOf(program)
  const { env, binaryPath = name.includes('/') ? name : undefined } = context
  return findProgram(name, { env, ...(binaryPath === undefined ? {} : { binaryPath }) })
}

export async function readManifest(
  program: AcpProgram,
  context: AdapterContext,
  timeoutMs = manifestTimeoutMs,
): Promise<BackendManifestEntry> {
  const { profile, kind, label } = program
  const { terminalResume } = profile.history
  const capabilities = capabilitiesOf(program)
  const entry = {
    kind,
    label,
    models: [],
    modes: [...profile.modes],
    // A choice would promise something of a program that may act unasked.
    sandboxes: capabilities.supportsPermissions ? [...profile.sandboxes] : [],
    capabilities,
    accepted: acceptedBy(program),
    ...(terminalResume === undefined ? {} : { terminalResume }),
  }
  try {
    const binaryPath = await findBinary(program, context)
    if (profile.launch?.needsNode) await requireNode(label, binaryPath, context.env)
    const { version, more } = await askFor(program, binaryPath, context, timeoutMs)
    const folder = profile.says.model ? context.modelsFolder : undefined
    return {
      ...entry,
      models: folder === undefined ? [] : await knownModels({ folder, kind, file: binaryPath }),
      capabilities: { ...capabilities, ...more },
      installed: true,
      ...(version === undefined ? {} : { version }),
      binaryPath,
    }
  } catch (error) {
    const unanswered = isUnanswered(error) ? { unanswered: true } : {}
    return { ...entry, installed: false, unavailableReason: toCodedError(error).message, ...unanswered }
  }
}

interface Told {
  version: string | undefined
  /** What nobody knows of an unknown program before it says so. */
  more?: Pick<Capabilities, 'supportsSessionResume'>
}

/** Of an unknown program only the protocol says the version. It is started in an empty folder. */
async function askFor(
  program: AcpProgram,
  file: string,
  { env, scratchDir }: AdapterContext,
  timeoutMs: number,
): Promise<Told> {
  const { profile, label, kind } = program
  const workDir = join(scratchDir, `acp-asked-${randomUUID()}`)
  await mkdir(workDir, { recursive: true, mode: 0o700 })
  const guarded = bareEnvironment(profile, env, workDir)
  try {
    if (profile.name !== 'generic')
      return { version: await askVersion({ name: kind, file, env: guarded, workDir, timeoutMs }) }
    const [, ...args] = argvOf(program)
    const silent = () => {}
    const handlers = { update: silent, ask: silent, stray: silent, tooLong: silent, exit: silent }
    const command = { file, args, env: guarded, workDir, graceMs: 500 }
    const { child, connection } = await spawnProgram(label, command, handlers)
    try {
      const said = await beforeItDies(label, child, timeoutMs, introduce(label, connection))
      const supportsSessionResume = resumeMethod(asRecord(said.agentCapabilities)) !== undefined
      return { version: asText(asRecord(said.agentInfo).version), more: { supportsSessionResume } }
    } finally {
      await child.end()
    }
  } finally {
    await rm(workDir, { recursive: true, force: true }).catch(() => {})
  }
}
