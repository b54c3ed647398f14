/**
 * Keeps the index in step with the logs that hosts write, and tells the daemon what it learns there. Holds back a log that
 * replaced another one until the hub knows of it.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { AckedNews } from '../../host-contract/launch-spec'
import { isLostHere, RECENT_ANSWERS, rereadLog } from '../logs/reread-log'
import type { SessionIndex } from '../logs/session-index'
import type { SessionLogs } from '../logs/session-logs'
import type { SessionRecords } from './session/hosted-session-ports'
import type { SupervisorEvents } from './supervisor-events'

type LogEvents = Pick<SupervisorEvents, 'head' | 'newLog' | 'state' | 'closed' | 'news'>

export class LogRecords implements SessionRecords {
  /** The current connection; null while there is none. */
  hubEpoch: string | null = null
  /** Sessions that continue with a new log, which the hub does not know yet. */
  private readonly unagreed = new Set<string>()

  constructor(
    private readonly index: SessionIndex,
    private readonly logs: SessionLogs,
    private readonly events: LogEvents,
  ) {}

  acked(sessionId: string): AckedNews | null {
    const row = this.index.get(sessionId)
    if (!row || row.logId === '' || row.ackedEpoch === '') return null
    const { logId, acked: upTo, ackedEpoch: epoch } = row
    return { logId, upTo, epoch, present: epoch === this.hubEpoch }
  }

  head(sessionId: string, logId: string, head: number): void {
    this.noticeNewLog(sessionId, logId)
    this.index.put(sessionId, { logId, last: head, changed: true })
    this.events.head(sessionId, head)
  }

  noticeMark(sessionId: string): boolean {
    return this.logs.noticeMark(sessionId)
  }

  isBroken(sessionId: string): boolean {
    return this.logs.isBroken(sessionId)
  }

  settled(sessionId: string, moved: boolean): void {
    const { index, logs, events } = this
    logs.settled(sessionId)
    // A rebase may make it shorter; nothing else does.
    if (!moved && isLostHere(index, logs, sessionId)) logs.lostItsEnd(sessionId)
    const said = logs.ask(sessionId, (log) => ({
      logId: log.logId(),
      state: log.lastState(),
      answers: log.recentAnswers(RECENT_ANSWERS),
    }))
    if (!said) return
    this.noticeNewLog(sessionId, said.logId)
    const row = rereadLog(index, logs, sessionId)
    if (row) events.head(sessionId, row.last)
    if (said.state) events.state(said.state)
    // CMD-3: no event reports a command that failed, and the host that settled it had nobody to report it to.
    for (const { commandId, answer } of said.answers)
      if (answer.state === 'refused' || answer.state === 'outcome_unknown') events.news(sessionId, commandId, answer)
  }

  closed(sessionId: string): void {
    const state = this.logs.ask(sessionId, (log) => log.lastState())
    if (state) this.events.closed(this.index.noted(state))
  }

  /** The hub has all of this log, or nothing, or the session is gone: new work continues undisturbed. */
  agreed(sessionId: string): void {
    this.unagreed.delete(sessionId)
  }

  /**
   * Throws the code that means "later". Another log is moved behind what the hub holds (REB-1), and its host ends for that:
   * what it began before would be cut off.
   */
  requireAgreed(sessionId: string): void {
    if (!this.unagreed.has(sessionId)) return
    throw new CodedError(
      'STORAGE_UNAVAILABLE',
      'The log of this session was replaced. The hub must learn of the new log first.',
    )
  }

  private noticeNewLog(sessionId: string, logId: string): void {
    const known = this.index.get(sessionId)?.logId ?? ''
    if (known === '' || known === logId) return
    // The open file is the one that was set aside.
    this.logs.forget(sessionId)
    this.unagreed.add(sessionId)
    this.events.newLog(sessionId)
  }
}
