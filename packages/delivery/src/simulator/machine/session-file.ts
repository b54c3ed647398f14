/** One session's file on the agent: log, cursors, inbox, queue, ledger and grants in one place, changed by transactions. */
import type { Command, EventEnvelope, SessionEvent } from '@roundhouse/backend-types'
import {
  type Closed,
  emptyProjection,
  type HeldGrant,
  type InboxRow,
  type PermissionLedger,
  type PromptQueue,
  projectEvent,
  promptQueue,
  type RebaseOrder,
  type SessionProjection,
} from '../../index'
import type { World } from '../world/world'
import { cheapHash, envelope } from './bodies'

export interface InboxEntry extends InboxRow {
  command: Command | null
  /** The hub hears of it as news until it has confirmed: results that no event tells, and how a prompt ended. */
  newsDue: boolean
}

export interface SessionFile {
  sessionId: string
  logId: string
  /** What is retained, in order. */
  rows: readonly EventEnvelope[]
  head: number
  acked: number
  ackedEpoch: string
  lease: number
  /** The backend process that was spawned last. */
  procId: string
  projection: SessionProjection
  inbox: Readonly<Record<string, InboxEntry>>
  queue: PromptQueue
  ledger: PermissionLedger
  grants: readonly HeldGrant[]
  /** Set when the index remembers more than the file holds. */
  logLost: boolean
  /** How often it was rebased. */
  rebases: number
}

export function emptyFile(sessionId: string, logId: string): SessionFile {
  return {
    sessionId,
    logId,
    rows: [],
    head: 0,
    acked: 0,
    ackedEpoch: '',
    lease: 0,
    procId: '',
    projection: emptyProjection(),
    inbox: {},
    queue: promptQueue.emptyQueue(),
    ledger: {},
    grants: [],
    logLost: false,
    rebases: 0,
  }
}

export function append(world: World, file: SessionFile, events: readonly SessionEvent[]): SessionFile {
  let { projection } = file
  let seq = file.head
  const rows = [...file.rows]
  for (const event of events) {
    seq += 1
    const uid = world.newId('e')
    world.truth.written(file.sessionId, uid)
    rows.push(envelope(seq, uid, event, world.clock.now))
    projection = projectEvent(projection, event, seq, world.clock.now).projection
  }
  return { ...file, rows, head: seq, projection }
}

/** Logs are read at their end. */
export function rowsAfter({ rows }: Pick<SessionFile, 'rows'>, after: number): readonly EventEnvelope[] {
  let from = rows.length
  while (from > 0 && (rows[from - 1]?.seq ?? 0) > after) from -= 1
  return rows.slice(from)
}

/** REB-1, as the lease holder does it: one transaction. */
export function rebase(world: World, file: SessionFile, order: RebaseOrder, hubEpoch: string): SessionFile {
  const held = file.rows.filter((row) => row.seq <= order.held)
  const after = file.rows.filter((row) => row.seq > order.held)
  const moved = world.kernel.rebaseEvents(after, order, world.clock.now, cheapHash)
  const last = moved.at(-1)
  const head = last ? (last.to ?? last.seq) : file.head
  return {
    ...file,
    rows: [...held, ...moved],
    head,
    acked: order.to,
    ackedEpoch: hubEpoch,
    rebases: file.rebases + 1,
    projection: { ...file.projection, seq: head },
  }
}

export function setRow(file: SessionFile, row: InboxEntry): SessionFile {
  return { ...file, inbox: { ...file.inbox, [row.commandId]: row } }
}

/** What the log says of a request that the ledger has closed. */
export function resolved(
  { ask, outcome, applying, supersededBy }: Closed,
  extra: { commandId?: string; by?: { grantId: string } } = {},
): SessionEvent {
  const commandId = applying?.commandId ?? extra.commandId
  return {
    kind: 'permission_resolved',
    ...(commandId ? { commandId } : {}),
    ...(extra.by ? { by: extra.by } : {}),
    requestId: ask.requestId,
    callId: ask.callId,
    outcome,
    digest: ask.digest,
    ...(applying ? { decision: applying.decision, effectiveDigest: applying.effectiveDigest } : {}),
    ...(supersededBy ? { supersededBy } : {}),
  }
}
