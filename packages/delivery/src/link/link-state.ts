/**
 * What an agent does on one connection (LINK-2 to LINK-4, FLOW-1, FLOW-3), as a table of stage and event:
 *
 *   opening ─ welcome ─► greeting ─ hello taken ─► reporting ─ every page answered ─► online
 *      any ─ failed, fenced, refused ─► ended
 *
 * Nothing of a log is sent before the hub has said what it holds. Doorbells may ring at any time: before `online` they are only
 * remembered, after `ended` they are ignored. The table is in `link-table.ts`, and each session has one of its own (`session-link.ts`); what is sent
 * next, and within which credit, is the planner's (`send-planner.ts`). No I/O, no clock: the time comes with each event, and
 * what comes of an effect returns as an event.
 */
import type { LinkEffect, LinkEvent } from './link-events'
import { LinkMoves } from './link-moves'
import { linkTable } from './link-table'

export class LinkState extends LinkMoves {
  /** What to do before anything was heard. */
  begin(): LinkEffect[] {
    return this.taken()
  }

  /** `now`: of a clock that nobody sets. */
  hear(event: LinkEvent, now: number): LinkEffect[] {
    const cell = linkTable[this.stage][event.kind] as (link: LinkMoves, event: LinkEvent, now: number) => void
    cell(this, event, now)
    return this.taken()
  }

  /** Everything that may be sent was sent and acked. */
  isDrained(sessionIds: Iterable<string>): boolean {
    const judged = [...sessionIds].every((sessionId) => this.sessions.get(sessionId)?.stage === 'judged')
    return this.stage === 'online' && judged && this.planner?.isDrained() === true
  }
}
