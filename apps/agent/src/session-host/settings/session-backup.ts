/**
 * A copy of what a session must not lose with its log: its settings and the conversation of its backend. With the copy
 * beside the log, a session whose log was deleted continues behind a gap instead of ending (REB-1, RES-2).
 */
import { readOwnFile } from '@roundhouse/owner'
import { z } from 'zod'
import { throwPassing } from '../../files/read-if-there'
import { writeDurably } from '../../files/write-durably'
import type { SessionLog } from '../../log/session-log'
import type { LogChange } from '../../log/statements'
import { conversationKey } from './identity-plan'
import { settingsKey } from './settings'

const keys = [settingsKey, conversationKey] as const
const Kept = z.record(z.string(), z.string().refine(isJson))

export class SessionBackup {
  private written = ''

  constructor(
    private readonly log: SessionLog,
    private readonly file: string,
  ) {}

  /** Called before any other work with the log: adds what a new log lacks. */
  async restore(): Promise<void> {
    if (this.log.rows.meta(settingsKey) === null) {
      const meta = this.read()
      if (meta) await this.log.write({ meta })
    }
    this.keep()
  }

  /** Called when these rows of the log changed. */
  changed(meta: NonNullable<LogChange['meta']>): void {
    if (keys.some((key) => key in meta)) this.keep()
  }

  private keep(): void {
    const { rows } = this.log
    const kept = keys.flatMap((key) => {
      const value = rows.meta(key)
      return value === null ? [] : [[key, value] as const]
    })
    const text = JSON.stringify(Object.fromEntries(kept))
    // A torn row stays in the log, where the damage is found.
    if (kept.length === 0 || text === this.written || !kept.every(([, value]) => isJson(value))) return
    try {
      writeDurably(this.file, text)
      this.written = text
    } catch (error) {
      // The log has the row and reports a disk that refuses.
      console.error('could not copy the settings', error)
    }
  }

  /** Throws if the system cannot read the file now: the session must not continue without its settings for that reason. */
  private read(): Record<string, string> | null {
    try {
      return Kept.parse(JSON.parse(readOwnFile(this.file)))
    } catch (error) {
      throwPassing(this.file, error)
      return null
    }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
