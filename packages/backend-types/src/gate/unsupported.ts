/**
 * Why a program cannot do what is asked, as `UNSUPPORTED` with the capability that is missing; null where it can, or where only the
 * program knows. The hub asks this at the request, and the session host before it accepts the command and before the program starts.
 * Pure.
 */
import type { AcceptedValues } from '../adapter/accepted-values'
import { type Capabilities, type Capability, capabilityRows, isSupported } from '../adapter/capabilities'
import type { ManifestChoice } from '../adapter/manifest'
import type { QueryMethod } from '../adapter/queries'
import type { Sandbox } from '../adapter/sandbox'
import { resolveSpawnOptions, type SpawnOptions } from '../adapter/spawn-options'
import { CodedError } from '../common/errors'
import type { CommandBody, CommandOf } from '../session/commands'
import type { SessionSettings } from '../session/session-settings'
import { commandNeeds, promptNeeds, settingNeeds, spawnNeeds } from './needs'

/** A row of a manifest, or an adapter with its label. */
export interface ProgramFacts {
  label: string
  capabilities: Capabilities
  accepted?: AcceptedValues | undefined
  models?: readonly ManifestChoice[]
  modes?: readonly ManifestChoice[]
}

type Settings = Partial<SessionSettings>
type Setting = keyof SessionSettings

/** `present`: the settings that the session has now. They count where settings must go together. */
export function unsupportedSettings(program: ProgramFacts, asked: Settings, present: Settings = {}): CodedError | null {
  for (const setting of Object.keys(settingNeeds) as Setting[]) {
    const refusal = isAsked(asked[setting]) ? unsupportedSetting(program, setting, asked[setting]) : null
    if (refusal) return refusal
  }
  return apart(program, asked, { ...present, ...asked })
}

/** Of a program that is about to start. */
export function unsupportedSpawn(program: ProgramFacts, options: SpawnOptions): CodedError | null {
  for (const field of Object.keys(spawnNeeds) as Array<keyof typeof spawnNeeds>) {
    const refusal = options[field] === undefined ? null : lacking(program, spawnNeeds[field], { field })
    if (refusal) return refusal
  }
  const { workDir: _where, backend: _which, ...asked } = resolveSpawnOptions(options)
  return unsupportedSettings(program, asked)
}

/** Whether a command can need a capability at all, so that nobody has to look up the program for the others. */
export function needsCapability(body: CommandBody): boolean {
  if (body.kind === 'prompt.send')
    return body.steer === true || body.override !== undefined || body.images !== undefined
  return body.kind === 'session.create' || body.kind === 'session.configure' || commandNeeds[body.kind] !== null
}

export function unsupportedCommand(
  program: ProgramFacts,
  body: CommandBody,
  present: Settings = {},
): CodedError | null {
  switch (body.kind) {
    case 'session.create':
      return unsupportedSettings(program, body.settings)
    case 'session.configure':
      return unsupportedSettings(program, body.changes, present)
    case 'prompt.send':
      return unsupportedPrompt(program, body) ?? unsupportedSettings(program, body.override ?? {}, present)
    case 'session.resume':
      return body.fresh ? null : lacking(program, commandNeeds[body.kind])
    default:
      return lacking(program, commandNeeds[body.kind])
  }
}

type Prompt = Pick<CommandOf<'prompt.send'>, 'text' | 'steer'> & { images?: readonly unknown[] | undefined }

export function unsupportedPrompt(program: ProgramFacts, { text, steer, images = [] }: Prompt): CodedError | null {
  const isAlone = images.length > 0 && text === ''
  return (
    (steer ? lacking(program, promptNeeds.steer) : null) ??
    (images.length > 0 ? lacking(program, promptNeeds.images) : null) ??
    (isAlone ? lacking(program, promptNeeds.imagesAlone) : null)
  )
}

export function unsupportedQuery(
  { label, capabilities }: { label: string; capabilities: Pick<Capabilities, 'queries'> },
  method: QueryMethod,
  details: object = {},
): CodedError | null {
  if (capabilities.queries?.includes(method)) return null
  return new CodedError('UNSUPPORTED', `${label} answers no query "${method}".`, {
    capability: 'queries',
    method,
    ...details,
  })
}

/** The query by which a program carries out this command, or one of its settings. */
export function queryNeeded(body: CommandBody): QueryMethod | null {
  const need = commandNeeds[body.kind]
  if (need !== null && typeof need === 'object') return need.query
  const asked: Settings =
    body.kind === 'session.create' ? body.settings : body.kind === 'session.configure' ? body.changes : {}
  const setting = (Object.keys(settingNeeds) as Setting[]).find(
    (one) => settingNeeds[one]?.query && isAsked(asked[one]),
  )
  return (setting && settingNeeds[setting]?.query) ?? null
}

export function lacking(
  program: ProgramFacts,
  need: Capability | { query: QueryMethod } | null,
  details: object = {},
): CodedError | null {
  if (need !== null && typeof need === 'object') return unsupportedQuery(program, need.query, details)
  if (need === null || isSupported(program.capabilities, need)) return null
  const lack = need === 'tool_perm_format_claude' ? 'reads other lists of tools' : capabilityRows[need].lack
  return new CodedError('UNSUPPORTED', `${program.label} ${lack}.`, { capability: need, ...details })
}

/** Why a page does not offer a setting at all, whatever its value; null where it does. */
export function unsupportedField(program: ProgramFacts, setting: Setting): string | null {
  const need = settingNeeds[setting]
  const isClosed = need?.listed !== undefined && program.accepted?.[need.listed]?.length === 0
  if (isClosed) return `${program.label} has no ${settingName(setting)} to choose.`
  return lacking(program, need?.capability ?? null)?.message ?? null
}

/** `null`, `false` and an empty list ask for nothing. */
const isAsked = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)

function unsupportedSetting(program: ProgramFacts, setting: Setting, value: unknown): CodedError | null {
  const need = settingNeeds[setting]
  const lacks =
    lacking(program, need?.capability ?? null, { field: setting }) ??
    (need?.query ? unsupportedQuery(program, need.query, { field: setting }) : null)
  if (lacks || need?.listed === undefined) return lacks
  const listed = program.accepted?.[need.listed]?.map((one) => (typeof one === 'string' ? one : one.code))
  return listed && !listed.includes(String(value)) ? noSuch(program, setting, String(value), listed) : null
}

/** Settings that are possible one by one, and not with each other. Only what is asked for can be wrong. */
function apart(program: ProgramFacts, asked: Settings, next: Settings): CodedError | null {
  const { mode, sandbox = 'workspace-write', model, thinking } = next
  const { accepted, modes = [], models = [], label } = program
  const fitting = (accepted?.modes ?? modes).find(({ code }) => code === mode)?.sandboxes
  if ((asked.mode ?? asked.sandbox) !== undefined && fitting && !fitting.includes(sandbox as Sandbox)) {
    const [field, value] = asked.mode === undefined ? ['sandbox', sandbox] : ['mode', String(mode)]
    const message = `${label} does not run the mode "${mode}" in the sandbox "${sandbox}".`
    return new CodedError('UNSUPPORTED', message, { capability: field, field, value })
  }
  const levels = models.find(({ code, default: isDefault }) =>
    model === undefined ? isDefault : code === model,
  )?.thinking
  if (asked.thinking === undefined || !levels || levels.includes(String(thinking))) return null
  return noSuch(program, 'thinking', String(thinking), levels)
}

/** More than a person reads in a sentence. */
const MOST_NAMED = 8

function noSuch({ label }: ProgramFacts, field: Setting, value: string, has: readonly string[]): CodedError {
  const capability = settingNeeds[field]?.capability ?? field
  const isNamed = has.length > 0 && has.length <= MOST_NAMED
  const choices = isNamed ? ` It has ${has.map((one) => `"${one}"`).join(', ')}.` : ''
  const message = `${label} has no ${settingName(field)} "${value}".${choices}`
  return new CodedError('UNSUPPORTED', message, { capability, field, value })
}

const settingName = (setting: Setting): string => (setting === 'thinking' ? 'thinking level' : setting)
