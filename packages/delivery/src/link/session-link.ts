/**
 * One session on one connection, as a table of stage and event (LINK-2, REB-4, FLOW-3):
 *
 *   new, late ─ report ─► asked ─ verdict ─► judged ─ nothing to read ─► left ─ appended ─► asked
 *                           │                 │ not taken, not moved ─► landing ─ all answered ─► resting ─► asked
 *                           └─ no verdict ─► resting                                  ▲
 *                                             └ unreadable ───────────────────────────┘
 *   any ─ another log ─► outdated ─ all answered, and online ─► asked       asked ─ another log ─► overtaken ─► outdated
 */
import type { Verdict } from '@roundhouse/backend-types'

export type SessionStage =
  | 'new'
  /** To be reported as soon as the pages of reports are answered. A verdict among these settles it. */
  | 'late'
  /** Its report is on the way. */
  | 'asked'
  /** In service. */
  | 'judged'
  /** Left out since there was nothing to read; the next event of its log, or word of the hub, ends that. */
  | 'left'
  /** Left out: what was sent of it has to be answered, and then it rests. */
  | 'landing'
  /** Reported again when its pause is over. */
  | 'resting'
  /** Its log is another one: what the hub says is about the one before, until it has answered all that was sent of that. */
  | 'outdated'
  /** Its log became another one while its report was on the way. */
  | 'overtaken'

export interface SessionLink {
  readonly sessionId: string
  stage: SessionStage
  /** Batches that wait for their answer. */
  flights: number
  /** What was said of an earlier log is not heard. */
  generation: number
  /** The latest pause; the end of an older one says nothing. */
  pause: number
  restMs: number
  /** How often, one behind the other: without a verdict, not taken, not moved. */
  unjudged: number
  untaken: number
  unmoved: number
  /** Reported as another log: the account of its host is repeated behind that. */
  isOther: boolean
}

export const newSessionLink = (sessionId: string): SessionLink => ({
  sessionId,
  stage: 'new',
  flights: 0,
  generation: 0,
  pause: 0,
  restMs: 0,
  unjudged: 0,
  untaken: 0,
  unmoved: 0,
  isOther: false,
})

export type SessionEvent =
  | { is: 'appended'; head: number }
  | { is: 'renewed' }
  | { is: 'judged'; verdict: Verdict }
  /** The hub was asked, and has said nothing of it. */
  | { is: 'unjudged' }
  /** The report was answered, after its verdict if there was one. */
  | { is: 'answered' }
  /** There is no log to report. */
  | { is: 'gone' }
  /** The pages of reports were answered. */
  | { is: 'online' }
  /** All that was sent was answered. */
  | { is: 'landed' }
  | { is: 'restOver' }
  | { is: 'empty' }
  | { is: 'unreadable'; restMs: number }
  /** Not taken, or not moved. */
  | { is: 'putOff'; restMs: number }

/** What the cells need of the connection. */
export interface SessionMoves {
  readonly isOnline: boolean
  report(session: SessionLink): void
  take(verdict: Verdict): void
  /** Takes it out of service. */
  drop(session: SessionLink): void
  rest(session: SessionLink, ms: number): void
  appended(session: SessionLink, head: number): void
  tellState(session: SessionLink): void
}

type Cell<E> = (session: SessionLink, link: SessionMoves, event: E) => void
type Row = { readonly [K in SessionEvent['is']]: Cell<Extract<SessionEvent, { is: K }>> }

/** A session on which the hub says nothing is reported ever more rarely, up to this. */
const SHORTEST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000

const stay = () => {}

const ask: Cell<unknown> = (session, link) => {
  session.stage = 'asked'
  link.report(session)
}
const askOnceOnline: Cell<unknown> = (session, link) => {
  if (link.isOnline) ask(session, link, null)
  else session.stage = 'late'
}
/** Until the hub has answered all that was sent of the log before, it would judge that one. */
const askOnceLanded: Cell<unknown> = (session, link) => {
  session.stage = 'outdated'
  if (session.flights > 0 || !link.isOnline) return
  session.isOther = true
  ask(session, link, null)
}
const serve: Cell<{ verdict: Verdict }> = (session, link, { verdict }) => {
  session.stage = 'judged'
  session.unjudged = 0
  link.take(verdict)
}
const renew: Cell<unknown> = (session, link) => {
  session.generation += 1
  link.drop(session)
  askOnceLanded(session, link, null)
}
const restUnjudged: Cell<unknown> = (session, link) => {
  session.stage = 'resting'
  link.rest(session, Math.min(LONGEST_REST_MS, SHORTEST_REST_MS * 2 ** session.unjudged))
  session.unjudged += 1
}
const restNow: Cell<{ restMs: number }> = (session, link, { restMs }) => {
  session.stage = 'resting'
  link.drop(session)
  link.rest(session, restMs)
}
const restOnceLanded: Cell<{ restMs: number }> = (session, link, { restMs }) => {
  session.generation += 1
  session.restMs = restMs
  session.stage = 'landing'
  link.drop(session)
  if (session.flights === 0) restLanded(session, link, null)
}
const restLanded: Cell<unknown> = (session, link) => {
  session.stage = 'resting'
  link.rest(session, session.restMs)
}
const toldAsOther: Cell<unknown> = (session, link) => {
  if (session.isOther) link.tellState(session)
  session.isOther = false
}

const unknown: Row = {
  appended: askOnceOnline,
  renewed: renew,
  judged: serve,
  unjudged: restUnjudged,
  answered: stay,
  gone: stay,
  online: stay,
  landed: stay,
  restOver: stay,
  empty: stay,
  unreadable: stay,
  putOff: stay,
}

export const sessionTable: { readonly [S in SessionStage]: Row } = {
  new: unknown,
  late: { ...unknown, appended: stay, online: ask },
  asked: {
    ...unknown,
    appended: stay,
    renewed: (session, link) => {
      session.generation += 1
      session.stage = 'overtaken'
      link.drop(session)
    },
    answered: (session, link) => {
      restUnjudged(session, link, null)
      toldAsOther(session, link, null)
    },
    gone: (session) => {
      session.stage = 'new'
      session.isOther = false
    },
  },
  judged: {
    ...unknown,
    appended: (session, link, { head }) => link.appended(session, head),
    unjudged: stay,
    answered: toldAsOther,
    empty: (session, link) => {
      session.stage = 'left'
      link.drop(session)
    },
    unreadable: restNow,
    putOff: restOnceLanded,
  },
  left: { ...unknown, unjudged: stay },
  landing: { ...unknown, appended: stay, unjudged: stay, landed: restLanded },
  resting: { ...unknown, appended: stay, unjudged: stay, restOver: askOnceOnline },
  outdated: {
    ...unknown,
    appended: stay,
    judged: stay,
    unjudged: stay,
    online: askOnceLanded,
    landed: askOnceLanded,
  },
  overtaken: {
    ...unknown,
    appended: stay,
    renewed: (session) => {
      session.generation += 1
    },
    judged: stay,
    unjudged: stay,
    answered: askOnceLanded,
    gone: askOnceLanded,
  },
}

export function sessionStep(session: SessionLink, link: SessionMoves, event: SessionEvent): void {
  const cell = sessionTable[session.stage][event.is] as Cell<SessionEvent>
  cell(session, link, event)
}
