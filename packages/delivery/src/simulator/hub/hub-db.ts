/** The hub's database, changed by transactions: streams, commands, requests and their two registers. */
import type {
  Command,
  CommandState,
  HostState,
  PermissionAsk,
  PermissionOutcome,
  StoredEvent,
} from '@roundhouse/backend-types'
import {
  type Attempt,
  type BatchDecision,
  type DecisionRegister,
  emptyProjection,
  type ProjectionEffect,
  type SessionProjection,
} from '../../index'
import type { Kernel } from '../kernel'
import { eventOf, isIntact, tombstoneOf } from '../machine/bodies'

export interface HubSession {
  sessionId: string
  agentId: string
  logId: string | null
  committed: number
  rows: readonly StoredEvent[]
  projection: SessionProjection
  lastCmdSeq: number
}

export interface HubCommand {
  commandId: string
  sessionId: string
  kind: Command['body']['kind']
  cmdSeq?: number | undefined
  state: CommandState
  command: Command
  expiresAt: number | null
}

export interface DecisionRecord extends Attempt {
  commandId: string
}

export interface HubRequest {
  sessionId: string
  ask: PermissionAsk
  register: DecisionRegister<DecisionRecord>
}

export interface HubDb {
  epoch: string
  connEpochs: Readonly<Record<string, number>>
  sessions: Readonly<Record<string, HubSession>>
  commands: Readonly<Record<string, HubCommand>>
  requests: Readonly<Record<string, HubRequest>>
}

export function emptyDb(epoch: string): HubDb {
  return { epoch, connEpochs: {}, sessions: {}, commands: {}, requests: {} }
}

export function newSession(sessionId: string, agentId: string): HubSession {
  return { sessionId, agentId, logId: null, committed: 0, rows: [], projection: emptyProjection(), lastCmdSeq: 0 }
}

/** The ack transaction (STORE-2): events, the session row, requests, and what the events say of commands. */
export function storeBatch(
  db: HubDb,
  session: HubSession,
  decision: Extract<BatchDecision, { kind: 'store' }>,
  now: number,
  kernel: Kernel,
): HubDb {
  const stored = decision.events.map((event): StoredEvent => {
    const kept = isIntact(event) || !kernel.comparesHashes ? event : tombstoneOf(event)
    return { ...kept, storedAt: now }
  })
  let next = db
  let { projection } = session
  for (const event of stored) {
    if (event.kind === 'tombstone') continue
    const step = kernel.projectEvent(projection, eventOf(event), event.seq, event.at)
    projection = step.projection
    for (const effect of step.effects) next = applyEffect(next, session.sessionId, effect, kernel)
  }
  const { committed, logId } = decision
  const row = { ...session, rows: [...session.rows, ...stored], projection, committed, logId }
  return { ...next, sessions: { ...next.sessions, [session.sessionId]: row } }
}

function applyEffect(db: HubDb, sessionId: string, effect: ProjectionEffect, kernel: Kernel): HubDb {
  switch (effect.kind) {
    case 'request_opened':
      return openRow(db, sessionId, effect.ask)
    case 'request_resolved': {
      const request = db.requests[effect.requestId]
      return request ? setRequest(db, { ...request, register: { ...request.register, outcome: effect.outcome } }) : db
    }
    case 'command_caused':
      return stepCommand(db, effect.commandId, { answer: effect.state }, kernel)
    case 'rebased':
      return closeRequests(rebaseCommands(db, sessionId, kernel), sessionId, 'orphaned')
    case 'pruned':
      return closeRequests(db, sessionId, 'outcome_unknown')
    case 'turn_completed':
    case 'session_ended':
      return db
  }
}

function openRow(db: HubDb, sessionId: string, ask: PermissionAsk): HubDb {
  const decision = db.requests[ask.requestId]?.register.decision ?? null
  return setRequest(db, { sessionId, ask, register: { decision, outcome: 'open', digest: ask.digest } })
}

function rebaseCommands(db: HubDb, sessionId: string, kernel: Kernel): HubDb {
  let next = db
  for (const row of Object.values(db.commands)) {
    if (row.sessionId === sessionId) next = stepCommand(next, row.commandId, 'rebased', kernel)
  }
  return next
}

function closeRequests(db: HubDb, sessionId: string, outcome: PermissionOutcome): HubDb {
  let next = db
  for (const request of Object.values(db.requests)) {
    if (request.sessionId !== sessionId || request.register.outcome !== 'open') continue
    next = setRequest(next, { ...request, register: { ...request.register, outcome } })
  }
  return next
}

/** LINK-5: the merged account lists what is open, also what was first seen there or ended behind a gap. */
export function seenInState(db: HubDb, state: HostState): HubDb {
  let next = db
  for (const ask of state.requests) {
    if (next.requests[ask.requestId]?.register.outcome !== 'open') next = openRow(next, state.sessionId, ask)
  }
  return next
}

/** Decisions on open requests that are lost, or may be (PERM-1): emptied, or listed to be called back. */
export function lostDecisions(
  db: HubDb,
  requestIds: readonly string[],
  listed: boolean,
  kernel: Kernel,
): { db: HubDb; callBack: HubCommand[] } {
  let next = db
  const callBack: HubCommand[] = []
  for (const requestId of requestIds) {
    const request = db.requests[requestId]
    const command = db.commands[request?.register.decision?.commandId ?? '']
    if (!request || !command || request.register.outcome !== 'open') continue
    const standing = kernel.decisionStands(command.state, listed)
    if (standing === 'call_back') callBack.push(command)
    if (standing === 'void') next = setRequest(next, { ...request, register: { ...request.register, decision: null } })
  }
  return { db: next, callBack }
}

/** The agent never takes the command of this decision any more. */
export function withoutDecision(db: HubDb, commandId: string): HubDb {
  const request = Object.values(db.requests).find(({ register }) => register.decision?.commandId === commandId)
  if (request?.register.outcome !== 'open') return db
  return setRequest(db, { ...request, register: { ...request.register, decision: null } })
}

export function setRequest(db: HubDb, request: HubRequest): HubDb {
  return { ...db, requests: { ...db.requests, [request.ask.requestId]: request } }
}

export function stepCommand(
  db: HubDb,
  commandId: string,
  input: Parameters<Kernel['commandStep']>[1],
  kernel: Kernel,
): HubDb {
  const row = db.commands[commandId]
  if (!row) return db
  const state = kernel.commandStep(row.state, input)
  return state === row.state ? db : { ...db, commands: { ...db.commands, [commandId]: { ...row, state } } }
}

export function addCommand(db: HubDb, command: Command, expiresAt: number | null): HubDb {
  const { commandId, sessionId, cmdSeq, body } = command
  const row: HubCommand = { commandId, sessionId, kind: body.kind, cmdSeq, state: 'pending', command, expiresAt }
  const session = db.sessions[sessionId]
  return {
    ...db,
    commands: { ...db.commands, [commandId]: row },
    sessions: session && cmdSeq ? { ...db.sessions, [sessionId]: { ...session, lastCmdSeq: cmdSeq } } : db.sessions,
  }
}

/** REB-2: another epoch, and every command is asked about again. */
export function newEpoch(db: HubDb, epoch: string, kernel: Kernel): HubDb {
  let next: HubDb = { ...db, epoch }
  if (!kernel.askAgainAfterRestore) return next
  for (const commandId of Object.keys(db.commands)) next = stepCommand(next, commandId, 'restored', kernel)
  return next
}

export function hashAt(session: HubSession, seq: number): string | undefined {
  return session.rows.find((row) => row.seq === seq)?.hash
}
