/**
 * What the last host of this session left undone, closed by the next (LOG-7, RES-2, CMD-3): run once, right after the
 * lease was taken and before anything else is recorded. What its program wrote and nobody logged comes first (RES-6).
 */
import type { SessionEvent } from '@roundhouse/backend-types'
import { type PermissionLedger, type PromptQueue, promptQueue, recoverCommand } from '@roundhouse/delivery'
import { logLostKey } from '../log/lost-log'
import type { LogChange } from '../log/statements'
import { processKey } from './backend-slot'
import { closingEvents, mergeChanges, noProcess, unknownDecisions } from './close-process'
import type { Journal } from './journal'
import { unsaidEvents } from './recovered-events'
import { emptySpool, readSpool, type SpooledBlock } from './spool'
import type { TranscriptRest } from './transcript-rest'
import { queueKey, type TurnNote, turnKey } from './turn-runner'

/** These events do not show that the backend had begun to answer. */
const ofTheHost: ReadonlySet<string> = new Set([
  'turn_started',
  'user_message',
  'session_started',
  'session_configured',
])

const PAGE = 500

export interface Recovery {
  /** A host or its backend had died in the middle of something. */
  closed: boolean
}

export async function recover(journal: Journal, spoolFolder: string, rest: TranscriptRest): Promise<Recovery> {
  const { rows } = journal.log
  const blocks = readSpool(spoolFolder).filter((block) => !isFinished(journal, block))
  const procId = rows.meta(processKey)
  const turn = parse<TurnNote>(rows.meta(turnKey))
  const { projection } = journal
  const closed = procId !== null || projection.turnId !== null || Object.keys(projection.requests).length > 0
  if (closed) await closeProcess(journal, procId, turn, blocks, rest)
  emptySpool(spoolFolder)
  await closeCommands(journal)
  return { closed }
}

/** CMD-3. Of a log that is lost nobody knows what ran in the time that is gone, or was taken back (REB-1). */
async function closeCommands(journal: Journal): Promise<void> {
  const { rows } = journal.log
  const logLost = rows.meta(logLostKey) !== null
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
  await journal.record(ended, {
    moved,
    grants: held.map(({ grantId }) => ({ grantId, row: null })),
    meta: { [queueKey]: null, [logLostKey]: null },
  })
}

async function closeProcess(
  journal: Journal,
  process: string | null,
  turn: TurnNote | null,
  blocks: readonly SpooledBlock[],
  rest: TranscriptRest,
): Promise<void> {
  const { rows } = journal.log
  const procId = process ?? 'unknown'
  const { outputs, notes } = process === null ? { outputs: [], notes: [] } : await rest.read(journal)
  const { turnId } = journal.projection
  const told = { procId, turnId, head: journal.log.head, outputs, blocks, clean: rest.cleanText }
  const unsaid: SessionEvent[] = [...unsaidEvents(told), ...notes]
  const open = rows.openRequests()
  const ledger = Object.fromEntries(open.map(({ requestId, row }) => [requestId, JSON.parse(row)])) as PermissionLedger
  const silent = turn?.handedOver === true && outputs.length === 0 && blocks.length === 0 && !hasAnswer(journal, turn)
  const commandId = turn?.commandId
  const end = { procId, kind: 'crashed', silent, commandId, blocks: [], ledger } as const
  const exit = { code: null, signal: null, stderrTail: '', cause: 'host_died' } as const
  const events = [...unsaid, ...closingEvents(journal.projectionAfter(unsaid), { ...end, exit })]
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
      [turnKey]: null,
      ...(queue && journal.projection.turnId !== null
        ? { [queueKey]: JSON.stringify(promptQueue.turnEnded(queue, ended)) }
        : {}),
    },
  }
  await journal.record(events, mergeChanges(change, noProcess))
}

/** The host died after the finished event was in the log and before the spooled text was gone. */
function isFinished(journal: Journal, block: SpooledBlock): boolean {
  for (let after = block.afterSeq; ; ) {
    const page = journal.log.rows.eventsAfter(after, PAGE)
    if (page.some(({ kind, body }) => kind === block.kind && JSON.parse(body).blockId === block.blockId)) return true
    const last = page.at(-1)
    if (!last) return false
    after = last.to ?? last.seq
  }
}

function hasAnswer(journal: Journal, turn: TurnNote): boolean {
  return journal.log.rows.eventsAfter(turn.startSeq - 1, 50).some(({ kind }) => !ofTheHost.has(kind))
}

function parse<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}
