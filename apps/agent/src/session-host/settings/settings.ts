/**
 * The settings that a session was created with, and the changes since (RES-7). Kept beside the events in the original
 * form: the log has a redacted copy, and the next spawn needs the real one.
 */
import path from 'node:path'
import { type BackendConfiguration, ConfigurableSetting, type SessionSettings } from '@roundhouse/backend-types'
import { realPathOf } from '../../actions/named-paths'
import type { LogStatements } from '../../log/statements'

export interface StoredSettings {
  settings: SessionSettings
  /** The work folder's real path at the creation, fixed for the session's life. */
  realWorkDir: string
  /** The values that a program of this session last accepted (CAP-4). Absent before the first start. */
  accepted?: BackendConfiguration
  /** The model of the last turn that was completed; without one, it was the program's own. Absent before that turn. */
  answered?: Pick<BackendConfiguration, 'model'>
}

export const settingsKey = 'settings'

export function readSettings(rows: LogStatements): StoredSettings | null {
  const text = rows.meta(settingsKey)
  return text === null ? null : (JSON.parse(text) as StoredSettings)
}

/** The settings that a running backend was started or configured with. */
export type Applied = BackendConfiguration & { maxOutputTokens?: number }

export function desiredOf(settings: SessionSettings, override: { model?: string; mode?: string } = {}): Applied {
  const { model, mode, sandbox, thinking, maxThinkingTokens, maxOutputTokens } = settings
  return {
    ...defined({ model, mode, sandbox, thinking, maxThinkingTokens, maxOutputTokens }),
    ...defined({ model: override.model, mode: override.mode }),
  }
}

/**
 * How a running backend gets from one set of settings to the other: which changes it can take, and whether it must
 * restart. No backend can be told to return to its own default.
 */
export function changesBetween(
  from: Applied,
  to: Applied,
  { limitsOutput = true }: { limitsOutput?: boolean | undefined } = {},
): { change: BackendConfiguration; restart: boolean } {
  const { maxOutputTokens: fromLimit, ...fromRest } = from
  const { maxOutputTokens: toLimit, ...toRest } = to
  const change = Object.fromEntries(
    Object.entries(toRest).filter(([key, value]) => fromRest[key as keyof BackendConfiguration] !== value),
  ) as BackendConfiguration
  const forgets = Object.keys(fromRest).some((key) => !(key in toRest))
  return { change, restart: forgets || (limitsOutput && fromLimit !== toLimit) }
}

/** A program runs with these settings. An override of one turn is not one of the session. */
export function withAccepted(stored: StoredSettings, applied: Applied): StoredSettings {
  const accepted = { ...stored.accepted }
  for (const setting of ConfigurableSetting.options) {
    const value = applied[setting]
    if (stored.settings[setting] !== value) continue
    if (value === undefined) delete accepted[setting]
    else Object.assign(accepted, { [setting]: value })
  }
  return { ...stored, accepted }
}

export interface TakenBack {
  stored: StoredSettings
  /** What holds again. */
  changes: BackendConfiguration
  unset: ConfigurableSetting[]
}

/**
 * The session without the settings that a program refused: each is what it was when a program last accepted it, or has no value.
 * `field`: the one that the program named. Null: the refusal was about something else.
 */
export function withoutRefused(stored: StoredSettings, desired: Applied, field: unknown): TakenBack | null {
  const { settings, accepted } = stored
  const isNew = (setting: ConfigurableSetting) => {
    const value = settings[setting]
    return value !== undefined && value === desired[setting] && value !== accepted?.[setting]
  }
  const named = ConfigurableSetting.options.filter((setting) => setting === field)
  if (field !== undefined && named.length === 0) return null
  // A setting that was accepted before is refused because of another one.
  const others = accepted === undefined ? [] : ConfigurableSetting.options
  const refused = named.some(isNew) ? named : others.filter(isNew)
  if (refused.length === 0) return null
  const back = Object.fromEntries(refused.map((setting) => [setting, accepted?.[setting]]))
  const changes: BackendConfiguration = defined(back)
  const unset = refused.filter((setting) => !(setting in changes))
  const next: SessionSettings = { ...settings, ...changes }
  for (const setting of unset) delete next[setting]
  return { stored: { ...stored, settings: next }, changes, unset }
}

/** The model service answered with this model. Null: that is known. An override of one turn is not one of the session. */
export function withAnswered(stored: StoredSettings, { model }: Applied): StoredSettings | null {
  const isKnown = stored.answered !== undefined && stored.answered.model === model
  return isKnown || stored.settings.model !== model ? null : { ...stored, answered: defined({ model }) }
}

/**
 * The session without the model that its service does not have: with the one that last answered, or without any. Null: no model was chosen,
 * the turn had another one, or that model has answered before, and only a person may choose which follows it.
 */
export function withoutModel(stored: StoredSettings, { model }: Applied): TakenBack | null {
  const { settings, accepted, answered } = stored
  if (model === undefined || settings.model !== model || answered?.model === model) return null
  const { model: _gone, ...rest } = settings
  const { model: _taken, ...others } = accepted ?? {}
  const changes: BackendConfiguration = defined({ model: answered?.model })
  const next = { ...stored, settings: { ...rest, ...changes }, accepted: { ...others, ...changes } }
  return { stored: next, changes, unset: changes.model === undefined ? ['model'] : [] }
}

/** The output limits that apply one after another when the window is nearly full. */
const ladder = [32_000, 16_000, 8_000] as const

export function nextOutputStep(current: number): number | null {
  return ladder.find((step) => step < current) ?? null
}

function defined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<T>
}

/** Real paths of the folders that the session may use, its work folder first. */
export function sessionFolders({ settings, realWorkDir }: StoredSettings): string[] {
  const added = (settings.additionalDirs ?? []).map((dir) => realPathOf(path.resolve(realWorkDir, dir)))
  // With full access, the program treats the whole machine as its workspace.
  return [realWorkDir, ...added, ...(settings.sandbox === 'full-access' ? [path.parse(realWorkDir).root] : [])]
}
