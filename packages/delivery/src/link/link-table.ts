/** What a connection does at each stage with each event (`link-state.ts`). A new stage or event does not compile until every cell is here. */
import type { ErrorBody, Verdict } from '@roundhouse/backend-types'
import type { LinkEvent } from './link-events'
import type { LinkMoves, LinkStage } from './link-moves'
import { sessionStep } from './session-link'

type EventOf<K extends LinkEvent['kind']> = Extract<LinkEvent, { kind: K }>
type Cell<K extends LinkEvent['kind']> = (link: LinkMoves, event: EventOf<K>, now: number) => void
type Row = { readonly [K in LinkEvent['kind']]: Cell<K> }

/** How long to wait when the hub refused for a reason that passes, and did not say how long. */
const HOLD_MS = 1_000
/** A log that cannot be moved keeps nobody busy: each try starts a host. */
const LONGEST_HOLD_MS = 60_000
const NEWS_AGAIN_MS = 5_000
/** Refusals that pass and are about one session: it rests, ever longer up to this, and keeps no other waiting. */
const longestRestMs: Readonly<Record<string, number>> = { INTERNAL: 10_000, RATE_LIMITED: 60_000 }

function welcome(link: LinkMoves, { hubEpoch, limits }: EventOf<'welcomed'>): void {
  link.stage = 'greeting'
  link.begins(hubEpoch, limits)
  link.ask({ do: 'sayHello' })
}

function greet(link: LinkMoves, _event: unknown, now: number): void {
  link.stage = 'reporting'
  link.greetedAt = now
  link.ask({ do: 'greet' })
  link.ask({ do: 'reportPage' })
}

function judgePage(link: LinkMoves, { named, verdicts, isLast }: EventOf<'pageAnswered'>): void {
  for (const verdict of verdicts) judge(link, { verdict })
  const judged = new Set(verdicts.map(({ sessionId }) => sessionId))
  for (const sessionId of named) {
    if (!judged.has(sessionId)) sessionStep(link.of(sessionId), link, { is: 'unjudged' })
  }
  if (isLast) link.becomesOnline()
  else link.ask({ do: 'reportPage' })
}

function judgeOne(link: LinkMoves, { sessionId, verdicts }: EventOf<'reportAnswered'>): void {
  for (const verdict of verdicts) judge(link, { verdict })
  sessionStep(link.of(sessionId), link, { is: 'answered' })
}

function judge(link: LinkMoves, { verdict }: { verdict: Verdict }): void {
  sessionStep(link.of(verdict.sessionId), link, { is: 'judged', verdict })
}

function position(link: LinkMoves, { verdict, position: log }: EventOf<'positioned'>): void {
  const session = link.of(verdict.sessionId)
  const { sessionId } = session
  if (session.stage !== 'judged' || !link.planner) return
  link.rebase(session, link.planner.verdict(verdict, log))
  // A hub that was restored acks nothing of a log that it holds whole; without this the log stays un-acked for good.
  if (verdict.verdict === 'resume' && log.ackedEpoch !== link.hubEpoch)
    link.ask({ do: 'ack', sessionId, upTo: Math.min(log.acked, verdict.from - 1) })
  link.appended(session, log.head)
}

function acked(link: LinkMoves, event: EventOf<'acked'>): void {
  const { sessionId, upTo } = event
  if (!link.lands(event)) return
  const session = link.of(sessionId)
  session.untaken = 0
  link.ask({ do: 'ack', sessionId, upTo })
  link.rebase(session, link.planner?.acked(sessionId, upTo) ?? null)
  link.pump()
}

function refused(link: LinkMoves, event: EventOf<'refused'>, now: number): void {
  const { sessionId, error } = event
  if (error.code === 'FENCED') {
    link.end(now, 'a newer connection of this agent has taken over')
    return
  }
  if (!link.lands(event)) return
  const longestMs = longestRestMs[error.code]
  if (longestMs !== undefined) putOff(link, sessionId, longestMs)
  else replan(link, sessionId, error, now)
}

function replan(link: LinkMoves, sessionId: string, error: ErrorBody, now: number): void {
  if (error.retryable && error.code !== 'SEQ_GAP') link.hold(HOLD_MS, now)
  const next = link.planner?.refused(sessionId, error)
  if (next?.kind === 'rebase') link.rebase(link.of(sessionId), next.order)
  if (next?.kind === 'stop') link.ask({ do: 'stop', sessionId, error })
  link.pump()
}

/** It is left out, and goes on as the hub says when it is reported again. */
function putOff(link: LinkMoves, sessionId: string, longestMs: number): void {
  const session = link.of(sessionId)
  const restMs = Math.min(longestMs, HOLD_MS * 2 ** session.untaken)
  session.untaken += 1
  sessionStep(session, link, { is: 'putOff', restMs })
}

function moved(link: LinkMoves, { sessionId, generation, to, head }: EventOf<'moved'>): void {
  const session = link.of(sessionId)
  if (session.generation !== generation) return
  session.unmoved = 0
  link.planner?.rebased(sessionId, to, head)
  link.pump()
}

function notMoved(link: LinkMoves, { sessionId, generation }: EventOf<'notMoved'>): void {
  const session = link.of(sessionId)
  if (session.generation !== generation) return
  const restMs = Math.min(LONGEST_HOLD_MS, HOLD_MS * 2 ** session.unmoved)
  session.unmoved += 1
  sessionStep(session, link, { is: 'putOff', restMs })
}

/** A refusal is final, unless it passes, as a full disk at the hub does; silence is repeated after the next hello. */
function newsAnswered(link: LinkMoves, { item, answer }: EventOf<'newsAnswered'>): void {
  if (answer === 'silent') return
  if (answer === 'passing') link.ask({ do: 'wait', ms: NEWS_AGAIN_MS, next: { kind: 'newsDue', item } })
  else link.ask({ do: 'newsDelivered', item })
}

const fail: Cell<'failed'> = (link, { reason, code }, now) => link.end(now, reason, code)
const stay = () => {}

const nothing: Row = {
  welcomed: stay,
  welcomeOverdue: stay,
  helloTaken: stay,
  pageAnswered: stay,
  reportAnswered: stay,
  nothingToReport: stay,
  verdictCame: stay,
  positioned: stay,
  appended: stay,
  renewed: stay,
  restOver: stay,
  holdCame: stay,
  holdOver: stay,
  pumped: stay,
  batchSent: stay,
  nothingRead: stay,
  unreadable: stay,
  acked: stay,
  refused: stay,
  unsendable: stay,
  moved: stay,
  notMoved: stay,
  newsDue: stay,
  newsAnswered: stay,
  failed: fail,
}

const overdue: Cell<'welcomeOverdue'> = (link, _event, now) => link.end(now, 'the hub did not say welcome')

/** SES-3: the hub tells of deleted sessions while it takes the hello, before its reply. */
const eraseEarly: Cell<'verdictCame'> = (link, { verdict }) => {
  if (verdict.verdict === 'deleted' || verdict.verdict === 'not_yours') link.ask({ do: 'take', verdict })
}

/** The hub has taken the hello: from here on sessions are judged and sent. */
const greeted: Row = {
  ...nothing,
  verdictCame: judge,
  positioned: position,
  appended: (link, { sessionId, head }) => sessionStep(link.of(sessionId), link, { is: 'appended', head }),
  renewed: (link, { sessionId }) => sessionStep(link.of(sessionId), link, { is: 'renewed' }),
  restOver: (link, { sessionId, pause }) => {
    const session = link.of(sessionId)
    if (session.pause === pause) sessionStep(session, link, { is: 'restOver' })
  },
  holdCame: (link, { ms }, now) => link.hold(ms, now),
  holdOver: (link) => {
    link.isWaiting = false
    link.pump()
  },
  pumped: (link, _event, now) => {
    link.isArmed = false
    link.sendNext(now)
  },
  batchSent: (link, { sessionId, ...batch }, now) => {
    link.of(sessionId).flights += 1
    link.planner?.sent(sessionId, batch)
    link.sendNext(now)
  },
  nothingRead: (link, { sessionId }, now) => {
    sessionStep(link.of(sessionId), link, { is: 'empty' })
    link.sendNext(now)
  },
  unreadable: (link, { sessionId }, now) => {
    sessionStep(link.of(sessionId), link, { is: 'unreadable', restMs: HOLD_MS })
    link.sendNext(now)
  },
  acked,
  refused,
  unsendable: (link, event) => {
    if (link.lands(event)) putOff(link, event.sessionId, LONGEST_HOLD_MS)
  },
  moved,
  notMoved,
  newsDue: (link, { item }) => link.ask({ do: 'tellNews', item }),
  newsAnswered,
}

export const linkTable: { readonly [S in LinkStage]: Row } = {
  opening: { ...nothing, welcomed: welcome, welcomeOverdue: overdue },
  greeting: { ...nothing, welcomeOverdue: overdue, helloTaken: greet, verdictCame: eraseEarly },
  reporting: { ...greeted, pageAnswered: judgePage },
  online: {
    ...greeted,
    reportAnswered: judgeOne,
    nothingToReport: (link, { sessionId }) => sessionStep(link.of(sessionId), link, { is: 'gone' }),
  },
  ended: { ...nothing, failed: stay },
}
