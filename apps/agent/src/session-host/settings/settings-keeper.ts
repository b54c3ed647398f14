/**
 * The session's settings while the host runs: as stored, as changed by a person, as reduced by the ladder (RES-7), and without what
 * a program refused (CAP-4).
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type BackendConfiguration,
  type Capabilities,
  CodedError,
  type CodedReason,
  type ErrorCode,
  type SessionEvent,
  type TokenBudgetWarning,
} from '@roundhouse/backend-types'
import type { LogChange } from '../../log/statements'
import { credentialsOf } from '../../redact/redactor'
import type { Journal } from '../journal/journal'
import {
  type Applied,
  nextOutputStep,
  readSettings,
  type StoredSettings,
  settingsKey,
  type TakenBack,
  withAccepted,
  withAnswered,
  withoutModel,
  withoutRefused,
} from './settings'

/** The codes with which a program may refuse the setting that the error names; the policy and the host have other codes. */
const programRefusals: ReadonlySet<ErrorCode> = new Set([
  'MODEL_UNAVAILABLE',
  'BACKEND_AUTH',
  'BACKEND_QUOTA',
  'BACKEND_OVERLOADED',
  'BACKEND_ERROR',
])

export class SettingsKeeper {
  private stored: StoredSettings | null

  /** `hide`: values that the session's own environment adds are as secret as the machine's. */
  constructor(
    private readonly journal: Journal,
    private readonly hide: (credentials: readonly string[]) => void,
  ) {
    this.stored = readSettings(journal.log.rows)
    this.hideCredentials()
  }

  /** Null before the session is created. */
  get current(): StoredSettings | null {
    return this.stored
  }

  require(): StoredSettings {
    if (!this.stored) throw new CodedError('SESSION_NOT_FOUND')
    return this.stored
  }

  /** The caller writes the settings. */
  apply(stored: StoredSettings): void {
    this.stored = stored
    this.hideCredentials()
  }

  /** The caller writes the row. */
  changeMode(mode: string): Pick<LogChange, 'meta'> {
    return this.change({ mode })
  }

  private change(changes: BackendConfiguration): Pick<LogChange, 'meta'> {
    const stored = this.require()
    const next = { ...stored, settings: { ...stored.settings, ...changes } }
    this.apply(next)
    return this.row(next)
  }

  private row(stored: StoredSettings): Pick<LogChange, 'meta'> {
    return { meta: { [settingsKey]: JSON.stringify(stored) } }
  }

  /** RES-7: the program changed the settings, and the next program starts with them. */
  follow(procId: string, told: BackendConfiguration): void {
    const { settings } = this.require()
    const fields = Object.keys(told) as Array<keyof BackendConfiguration>
    if (fields.every((field) => settings[field] === told[field])) return
    void this.journal.record([{ kind: 'session_configured', procId, changes: told, by: 'backend' }], this.change(told))
    this.accepted(told)
  }

  /** A program runs with these settings. */
  accepted(applied: Applied): void {
    const stored = this.require()
    const next = withAccepted(stored, applied)
    if (isDeepStrictEqual(next.accepted, stored.accepted)) return
    this.apply(next)
    void this.journal.write(this.row(next)).catch(() => {})
  }

  /** CAP-4: a program did not take these settings. What it refused is taken back, and the log says so. */
  refused(desired: Applied, { code, message, details }: CodedError): void {
    const named = details?.field
    const isRefusal = code === 'UNSUPPORTED' || (named !== undefined && programRefusals.has(code))
    this.takeBack(isRefusal ? withoutRefused(this.require(), desired, named) : null, { code, message })
  }

  /** CAP-4.7: the model service answered a turn with these settings. The caller writes the row. */
  answered(applied: Applied): Pick<LogChange, 'meta'> {
    const next = withAnswered(this.require(), applied)
    if (!next) return {}
    this.apply(next)
    return this.row(next)
  }

  /** CAP-4.7: the model service does not have the model of a turn with these settings. */
  modelMissing(applied: Applied, error: CodedReason): void {
    this.takeBack(withoutModel(this.require(), applied), error)
  }

  private takeBack(back: TakenBack | null, { code, message }: CodedReason): void {
    if (!back) return
    const { stored, changes, unset } = back
    this.apply(stored)
    const told = { changes, ...(unset.length > 0 ? { unset } : {}), error: { code, message } }
    void this.journal.record([{ kind: 'session_configured', ...told, by: 'backend' }], this.row(stored))
  }

  /** The context window is nearly full: records the warning and, if the backend can, limits the output from the next turn on. */
  budget(procId: string, warning: TokenBudgetWarning, { limitsOutput }: Capabilities): void {
    const warned: SessionEvent = { kind: 'token_budget_warning', procId, ...warning }
    const step = limitsOutput === false ? null : nextOutputStep(warning.maxOutputTokens)
    if (step === null) {
      void this.journal.record([warned])
      return
    }
    const stored = this.require()
    const next = { ...stored, settings: { ...stored.settings, maxOutputTokens: step } }
    this.apply(next)
    const stepped: SessionEvent = { kind: 'session_configured', changes: { maxOutputTokens: step }, by: 'ladder' }
    void this.journal.record([warned, stepped], this.row(next))
  }

  private hideCredentials(): void {
    this.hide(credentialsOf(this.stored?.settings.env ?? {}))
  }
}
