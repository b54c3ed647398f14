/**
 * Reads the rest of a conversation that a dead host did not log (RES-6, F4), for the host that closes its process. An
 * error here does not stop the closing; it adds a note that something may be missing.
 */
import type { SessionEvent } from '@roundhouse/backend-types'
import { isDamage } from '../../log/broken-log'
import { logLostKey } from '../../log/lost-log'
import type { Redactor } from '../../redact/redactor'
import { cleanValue } from '../../redact/value'
import type { Journal } from '../journal/journal'
import { conversationKey, parseConversation } from '../settings/identity-plan'
import { readSettings } from '../settings/settings'
import { isWritable, loggedConversation } from './logged-marks'
import { beyondLog, isTold, type RecoverableOutput } from './recovered'
import type { ReadTranscript } from './transcript'

/** A transcript whose reading ended the host must not end every host of the session. */
const MOST_TRIES = 3
const triesKey = 'transcriptTries'

export interface Rest {
  outputs: RecoverableOutput[]
  notes: SessionEvent[]
}

const nothing: Rest = { outputs: [], notes: [] }

export class TranscriptRest {
  /** For the transaction of the closing events. */
  readonly over = { [triesKey]: null }

  constructor(
    private readonly readTranscript: ReadTranscript,
    private readonly redact: Redactor,
  ) {}

  readonly cleanText = (text: string): string => this.clean(text) as string

  async read(journal: Journal): Promise<Rest> {
    const { rows } = journal.log
    const settings = readSettings(rows)
    const conversation = parseConversation(rows.meta(conversationKey))
    if (!settings || conversation.state === 'none') return nothing
    const { backendSessionId } = conversation
    // If a log lost its end, the hub may have what the transcript has beyond it, and would get it twice.
    if (rows.meta(logLostKey) !== null) return this.untold(journal, 'is not read, since the log had lost its end')
    try {
      const tries = Number(rows.meta(triesKey) ?? 0)
      if (tries >= MOST_TRIES) return this.untold(journal, 'could not be read')
      await journal.write({ meta: { [triesKey]: String(tries + 1) } })
      const transcript = await this.readTranscript(settings, backendSessionId)
      if (transcript === null) return nothing
      const { marks } = loggedConversation(rows, backendSessionId)
      const outputs = beyondLog(marks, transcript.filter(isTold), (value) => this.clean(value))
      return outputs ? { outputs: outputs.filter(isWritable), notes: [] } : this.untold(journal, 'tells another story')
    } catch (error) {
      if (isDamage(error)) throw error
      console.error('the transcript could not be read', error)
      return this.untold(journal, 'could not be read')
    }
  }

  private clean(value: unknown): unknown {
    return cleanValue(value, this.redact).value
  }

  /** Between turns nothing can be missing that a person would look for. */
  private untold(journal: Journal, why: string): Rest {
    const { turnId } = journal.projection
    if (turnId === null) return nothing
    const message = `The program's own record of this turn ${why}: what it did unseen after its host died may be missing here.`
    return { outputs: [], notes: [{ kind: 'system', turnId, subtype: 'transcript_untold', data: { message } }] }
  }
}
