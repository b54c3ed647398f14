/**
 * Finds what another program added to this session's conversation between our own turns (RES-9), and appends it. The
 * same transaction records how far the transcript was read, as the state of its file; an unchanged file is not read.
 *
 *   file as noted ─ it changed, no turn runs ─► read ─► its turns, or a note that they cannot be told, and the new state
 */
import { type BackendOutput, parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import { isDamage } from '../../log/broken-log'
import { prunedToKey } from '../../log/lost-log'
import {
  type FileState,
  isSameState,
  parseTranscriptSeen,
  type TranscriptSeen,
  transcriptSeenKey,
} from '../../log/transcript-seen'
import type { Redactor } from '../../redact/redactor'
import { cleanValue } from '../../redact/value'
import type { Journal } from '../journal/journal'
import { conversationKey, parseConversation } from '../settings/identity-plan'
import { readSettings, type StoredSettings } from '../settings/settings'
import { isWritable, loggedConversation } from '../transcript/logged-marks'
import { isTold } from '../transcript/recovered'
import type { FindTranscript, ReadTranscript } from '../transcript/transcript'
import { eventsOfTurn, turnsElsewhere } from './elsewhere-turns'
import { fileState } from './file-state'

/** From this number on, a log that was lost repeats what the conversation holds (REB-1). */
export const elsewhereFromKey = 'elsewhereFrom'
/** A transcript whose reading ended the host must not end every host of the session. */
const triesKey = 'elsewhereTries'
const MOST_TRIES = 3

export interface ElsewherePorts {
  journal: Journal
  redact: Redactor
  read: ReadTranscript
  find: FindTranscript
  newId(): string
  /** A turn runs, or only our own program can write the transcript now. */
  isOurs(): boolean
}

interface Place {
  settings: StoredSettings
  backendSessionId: string
  file: string
  state: FileState
}

export class Elsewhere {
  private looking: Promise<boolean> | null = null

  constructor(private readonly ports: ElsewherePorts) {}

  /** The file changed since it was last read. Cheap: one look at the file. */
  get isDue(): boolean {
    const conversation = this.conversation
    if (conversation.state === 'none' || this.ports.isOurs()) return false
    const { seen } = this
    if (!seen || !this.isNoted) return true
    const now = fileState(seen.file)
    return now !== null && !isSameState(now, seen)
  }

  /** An earlier state of this conversation's file is recorded, and the file differs from it. */
  get hasUnread(): boolean {
    return this.isDue && this.isNoted
  }

  get isLooking(): boolean {
    return this.looking !== null
  }

  /** True if the conversation continued elsewhere. Rejects only if the log is damaged. */
  look(): Promise<boolean> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = null
    })
    return this.looking
  }

  /** Our own program ended and wrote its last lines; nobody else wrote. */
  async settle(): Promise<void> {
    const place = await this.place().catch(() => null)
    if (place) await this.ports.journal.write({ meta: this.seenAs(place, this.seen?.forked ?? 0) })
  }

  private async lookOnce(): Promise<boolean> {
    if (!this.isDue) return false
    const place = await this.place().catch((error: unknown) => {
      console.error('the transcript could not be found', error)
      return null
    })
    if (place === null) return false
    try {
      return await this.compare(place)
    } catch (error) {
      if (isDamage(error)) throw error
      console.error('the transcript could not be read', error)
      return this.untold(place, 'could not be read')
    }
  }

  private async compare(place: Place): Promise<boolean> {
    const { journal, read, redact, isOurs, newId } = this.ports
    const { rows } = journal.log
    const tries = Number(rows.meta(triesKey) ?? 0)
    if (tries >= MOST_TRIES) return this.untold(place, 'could not be read')
    // This write also waits until the output of a turn that just ended is in the log.
    await journal.write({ meta: { [triesKey]: String(tries + 1) } })
    const logged = loggedConversation(rows, place.backendSessionId, Number(rows.meta(elsewhereFromKey) ?? 0))
    // Nothing is left to compare with, so what was added meanwhile cannot be found.
    const isPruned = this.seen !== null && Number(rows.meta(prunedToKey) ?? 0) > 0
    if (logged.marks.length === 0 && !logged.isWhole)
      return isPruned ? this.untold(place, 'went on') : this.tell(place, [])
    if (this.seen !== null && this.seen.file === place.file && place.state.bytes < this.seen.bytes)
      return this.untold(place, 'is shorter than it was')
    const transcript = await read(place.settings, place.backendSessionId)
    if (isOurs()) {
      await journal.write({ meta: { [triesKey]: null } }) // a turn began meanwhile; the attempt does not count
      return false
    }
    if (transcript === null) return this.tell(place, [])
    const clean = (value: unknown) => cleanValue(value, redact).value
    const found = turnsElsewhere(logged, transcript.filter(isLoggable), clean, lastTurnIsElsewhere(journal))
    if (found === null) return this.untold(place, 'tells another story')
    const events = found.turns.flatMap((turn) => eventsOfTurn(turn, newId))
    const before = this.seen?.forked ?? 0
    const forked = found.forked > before ? [forkedNote] : []
    return this.tell(place, [...forked, ...events], Math.max(before, found.forked))
  }

  private async untold(place: Place, why: string): Promise<boolean> {
    const message = `The program's own record of this conversation ${why}: what was said in it elsewhere may be missing here.`
    return this.tell(place, [{ kind: 'system', subtype: 'transcript_untold', data: { message } }])
  }

  private async tell(place: Place, events: SessionEvent[], forked = this.seen?.forked ?? 0): Promise<boolean> {
    const meta = { ...this.seenAs(place, forked), [triesKey]: null }
    await this.ports.journal.record(events, { meta })
    return events.length > 0
  }

  private seenAs({ backendSessionId, file, state }: Place, forked: number): Record<string, string> {
    const seen: TranscriptSeen = { backendSessionId, file, ...state, forked }
    return { [transcriptSeenKey]: JSON.stringify(seen) }
  }

  private async place(): Promise<Place | null> {
    const settings = readSettings(this.ports.journal.log.rows)
    const { conversation, seen } = this
    if (!settings || conversation.state === 'none') return null
    const { backendSessionId } = conversation
    const known = seen?.backendSessionId === backendSessionId && fileState(seen.file) ? seen.file : null
    const file = known ?? (await this.ports.find(settings, backendSessionId))
    // Taken before the read: a later change makes the file due again.
    const state = file === null ? null : fileState(file)
    return file === null || state === null ? null : { settings, backendSessionId, file, state }
  }

  private get conversation() {
    return parseConversation(this.ports.journal.log.rows.meta(conversationKey))
  }

  /** The recorded state belongs to the current conversation. */
  private get isNoted(): boolean {
    const { conversation, seen } = this
    return conversation.state !== 'none' && seen?.backendSessionId === conversation.backendSessionId
  }

  private get seen(): TranscriptSeen | null {
    return parseTranscriptSeen(this.ports.journal.log.rows.meta(transcriptSeenKey))
  }
}

const forkedNote: SessionEvent = {
  kind: 'system',
  subtype: 'transcript_untold',
  data: {
    message:
      'This conversation was continued elsewhere while a turn ran here, and has two branches now. What was said elsewhere is not shown here. The program goes on with one of the two: its model does not know what was said in the other.',
  },
}

function lastTurnIsElsewhere({ log }: Journal): boolean {
  const body = log.rows.bodiesOf(['turn_started']).at(-1)
  const event = body === undefined ? null : parseEventBody(body)
  return event?.kind === 'turn_started' && event.elsewhere === true
}

const isLoggable = (output: BackendOutput): boolean => isTold(output) && isWritable(output)
