/**
 * Closes what the session's last host left undone (LOG-7, RES-2, CMD-3). Runs once, right after the lease was taken and
 * before anything else is recorded. Output that its program wrote and nobody logged comes first (RES-6).
 */
import { lastSeqOf, parseEventBody, type RunningTask, type SessionEvent } from '@roundhouse/backend-types'
import { type PermissionLedger, type PromptQueue, promptQueue, recoverCommand } from '@roundhouse/delivery'
import type { Stop } from '../../host-contract/stopped-mark'
import { logLostKey, lostByDamage } from '../../log/lost-log'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import { emptySpool, readSpool, type SpooledBlock } from '../journal/spool'
import { endTurns } from '../journal/unended-turns'
import { lossToldKey, outputLost } from '../journal/unwritten-mark'
import { backgroundKey, taskEnded } from '../output/background-tasks'
import { processKey } from '../program/program-runner'
import type { WishKeeper } from '../settings/wish-keeper'
import { unsaidEvents } from '../transcript/recovered-events'
import type { TranscriptRest } from '../transcript/transcript-rest'
import { closingEvents, mergeChanges, noProcess, unknownDecisions } from '../turns/close-process'
import { queueKey, type TurnNote, turnKey } from '../turns/turn'
import { type Elsewhere, elsewhereFromKey } from './elsewhere'

/** These events do not show that the backend had begun to answer. */
const ofTheHost: ReadonlySet<string> = new Set([
  'turn_started',
  'user_message',
  'session_started',
  'session_configured',
])

const PAGE = 500

export interface Recovery {
  /** A host or its backend died in the middle of something. */
  closed: boolean
}

/** What is known of the ends of turns outside the log (`landmarks.ts`). */
export interface KnownEnds {
  endOf(turnId: string): SessionEvent | null
  missingEnds(inLog: ReadonlySet<string>): SessionEvent[]
}

/** What the previous host, or whoever ended it, left beside the log. */
export interface LeftBeside {
  /** The host held events that no disk had taken. */
  unwritten: boolean
  /** The session must not resume by itself, and the log may not know that. */
  stopped: Stop | null
  /** The host answered nobody, and was ended for a command that ends its program. */
  endAsked: boolean
}

/** `elsewhere`: null if the log is only repaired. */
export async function recover(
  journal: Journal,
  spoolFolder: string,
  rest: TranscriptRest,
  ends: KnownEnds,
  wish: WishKeeper,
  { unwritten, stopped, endAsked }: LeftBeside,
  elsewhere: Elsewhere | null = null,
): Promise<Recovery> {
  const { rows } = journal.log
  if (stopped === 'by_person') await journal.write(wish.after('stopped'))
  const blocks = readSpool(spoolFolder).filter((block) => !isFinished(journal, block))
  const procId = rows.meta(processKey)
  const turn = parse<TurnNote>(rows.meta(turnKey))
  const { projection } = journal
  const closed = procId !== null || projection.turnId !== null || Object.keys(projection.requests).length > 0
  const lost = unwritten && rows.meta(lossToldKey) === null ? [outputLost(projection.turnId)] : []
  const cause = endAsked ? 'killed' : 'host_died'
  if (closed) await closeProcess(journal, { procId, cause, turn, blocks, lost }, rest, ends, wish)
  else await recordIfAny(journal, lost, mergeChanges({ meta: told(lost) }, wish.after('found_at_rest')))
  if (stopped === 'given_up' && wish.current.phase === 'waits') await journal.record([givenUp], wish.after('unwanted'))
  await endTurns(journal)
  emptySpool(spoolFolder)
  await closeCommands(journal, ends, wish)
  await elsewhere?.look()
  return { closed }
}

/** RES-3: a program should start, and nothing will start it by itself any more. */
const givenUp: SessionEvent = {
  kind: 'process_exited',
  procId: 'unknown',
  code: null,
  signal: null,
  stderrTail: '',
  cause: 'start_failed',
  error: {
    code: 'INTERNAL',
    message:
      'The agent tried three times to resume this session, and each time the process that runs it died before the program started. It is not resumed automatically any more; what the agent printed on the machine may say why.',
  },
}

async function recordIfAny(journal: Journal, events: readonly SessionEvent[], change: LogChange): Promise<void> {
  if (events.length > 0 || Object.keys(change.meta ?? {}).length > 0) await journal.record(events, change)
}

const told = (lost: readonly SessionEvent[]): NonNullable<LogChange['meta']> =>
  lost.length > 0 ? { [lossToldKey]: '1' } : {}

/** CMD-3. If the log is lost, nobody knows what ran in the missing time or was taken back (REB-1). */
async function closeCommands(journal: Journal, ends: KnownEnds, wish: WishKeeper): Promise<void> {
  const { rows } = journal.log
  const lost = rows.meta(logLostKey)
  const logLost = lost !== null
  const moved = rows
    .unfinishedCommands()
    .filter(({ commandId, state }) => recoverCommand({ commandId, state }, logLost) !== 'run')
    .map(({ commandId }) => ({ commandId, state: 'outcome_unknown' as const }))
  if (!logLost) {
    await journal.write({ moved })
    return
  }
  const held = rows.grants()
  const ended = held.map(({ grantId }): SessionEvent => ({ kind: 'grant_ended', grantId, why: 'crash' }))
  const said = [...(lost === lostByDamage ? [damaged] : []), ...ends.missingEnds(turnsIn(journal)), ...ended]
  await journal.record(said, {
    moved,
    grants: held.map(({ grantId }) => ({ grantId, row: null })),
    meta: {
      [queueKey]: null,
      [logLostKey]: null,
      [elsewhereFromKey]: String(journal.log.lastSeq + said.length),
      ...wish.after('log_lost').meta,
    },
  })
}

function turnsIn(journal: Journal): Set<string> {
  return new Set(
    journal.log.rows.bodiesOf(['turn_started', 'turn_completed']).flatMap((body) => {
      const event = parseEventBody(body)
      return event?.kind === 'turn_started' || event?.kind === 'turn_completed' ? [event.turnId] : []
    }),
  )
}

const damaged: SessionEvent = {
  kind: 'system',
  subtype: 'log_damaged',
  data: {
    message:
      'The log of this session on its machine was damaged and set aside. What the hub did not have of it yet is missing here.',
  },
}

interface Gone {
  /** Null: no program ran. */
  procId: string | null
  cause: 'killed' | 'host_died'
  turn: TurnNote | null
  blocks: readonly SpooledBlock[]
  lost: readonly SessionEvent[]
}

async function closeProcess(
  journal: Journal,
  { procId: process, cause, turn, blocks, lost }: Gone,
  rest: TranscriptRest,
  ends: KnownEnds,
  wish: WishKeeper,
): Promise<void> {
  const { rows } = journal.log
  const procId = process ?? 'unknown'
  const { outputs, notes } = process === null ? { outputs: [], notes: [] } : await rest.read(journal)
  const { turnId } = journal.projection
  const heard = { procId, turnId, head: journal.log.head, outputs, blocks, clean: rest.cleanText }
  const beside = parse<RunningTask[]>(rows.meta(backgroundKey)) ?? []
  const unsaid: SessionEvent[] = [...unsaidEvents(heard), ...notes, ...lost, ...beside.map((task) => taskEnded(task))]
  const open = rows.openRequests()
  const ledger = Object.fromEntries(open.map(({ requestId, row }) => [requestId, JSON.parse(row)])) as PermissionLedger
  const wasGiven = turn?.handedOver === true && cause === 'host_died'
  const silent = wasGiven && outputs.length === 0 && blocks.length === 0 && !hasAnswer(journal, turn)
  const commandId = turn?.commandId
  const end = { procId, kind: 'crashed', silent, commandId, blocks: [], ledger } as const
  const exit = { code: null, signal: null, stderrTail: '', cause }
  const closing = closingEvents(journal.projectionAfter(unsaid), { ...end, exit })
  // A log that lost its end may have reported the end of its turn already.
  const lostEnd = rows.meta(logLostKey) !== null && turnId !== null ? ends.endOf(turnId) : null
  const events = [...unsaid, ...closing.map((event) => (lostEnd && event.kind === 'turn_completed' ? lostEnd : event))]
  const outcomes = new Map(
    events.flatMap((event) =>
      event.kind === 'permission_resolved' ? [[event.requestId, event.outcome] as const] : [],
    ),
  )
  const queue = parse<PromptQueue>(rows.meta(queueKey))
  const ended = silent ? 'outcome_unknown' : 'process_exited'
  const change: LogChange = {
    requests: open.map((row) => ({ ...row, outcome: outcomes.get(row.requestId) ?? 'orphaned' })),
    grants: rows.grants().map(({ grantId }) => ({ grantId, row: null })),
    moved: [
      ...unknownDecisions(ledger, procId),
      ...(commandId === undefined ? [] : [{ commandId, state: silent ? 'outcome_unknown' : 'done' } as const]),
    ],
    meta: {
      ...rest.over,
      ...told(lost),
      [turnKey]: null,
      [backgroundKey]: null,
      ...(queue && journal.projection.turnId !== null
        ? { [queueKey]: JSON.stringify(promptQueue.turnEnded(queue, ended)) }
        : {}),
    },
  }
  await journal.record(events, mergeChanges(change, noProcess, wish.after('died')))
}

/** The host died after the finished event was in the log and before it deleted the spooled text. */
function isFinished(journal: Journal, block: SpooledBlock): boolean {
  for (let after = block.afterSeq; ; ) {
    const page = journal.log.rows.eventsAfter(after, PAGE)
    if (page.some((row) => row.kind === block.kind && blockIdOf(row.body) === block.blockId)) return true
    const last = page.at(-1)
    if (!last) return false
    after = lastSeqOf(last)
  }
}

function blockIdOf(body: string): string | undefined {
  const event = parseEventBody(body)
  return event && 'blockId' in event ? event.blockId : undefined
}

function hasAnswer(journal: Journal, turn: TurnNote): boolean {
  return journal.log.rows.eventsAfter(turn.startSeq - 1, 50).some(({ kind }) => !ofTheHost.has(kind))
}

function parse<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}
