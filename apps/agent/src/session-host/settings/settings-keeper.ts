/** The session's settings while the host runs: as stored, as changed by a person, and as reduced by the ladder (RES-7). */
import {
  type BackendConfiguration,
  type Capabilities,
  CodedError,
  type SessionEvent,
  type TokenBudgetWarning,
} from '@roundhouse/backend-types'
import type { LogChange } from '../../log/statements'
import { credentialsOf } from '../../redact/redactor'
import type { Journal } from '../journal/journal'
import { nextOutputStep, readSettings, type StoredSettings, settingsKey } from './settings'

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
    return { meta: { [settingsKey]: JSON.stringify(next) } }
  }

  /** RES-7: the program changed the settings, and the next program starts with them. */
  follow(procId: string, told: BackendConfiguration): void {
    const { settings } = this.require()
    const fields = Object.keys(told) as Array<keyof BackendConfiguration>
    if (fields.every((field) => settings[field] === told[field])) return
    void this.journal.record([{ kind: 'session_configured', procId, changes: told, by: 'backend' }], this.change(told))
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
    void this.journal.record([warned, stepped], { meta: { [settingsKey]: JSON.stringify(next) } })
  }

  private hideCredentials(): void {
    this.hide(credentialsOf(this.stored?.settings.env ?? {}))
  }
}
