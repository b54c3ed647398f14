/** What events mean for the tables beside the log: requests and the commands that the events settle. */
import { type HostState, isCutValue, LATEST_MILLIS, type PermissionAsk } from '@roundhouse/backend-types'
import { commandStep, type ProjectionEffect } from '@roundhouse/delivery'
import { sha256 } from '../common/digests'
import { timeToShow } from '../common/time-to-show'
import type { RequestRow } from '../ports/request-store'
import type { SessionRow } from '../ports/session-store'
import type { IngestTx } from '../ports/stores'
import { RequestRoom } from './request-room'

/** LOG-10: how far the clock of the machine is ahead, and the time of what was stored last. */
export interface Times {
  clockOffsetMs: number
  notBefore: number
  /** By the number of a question's event: the time of the event above it. */
  floors?: ReadonlyMap<number, number>
  now: number
}

type Owner = Pick<SessionRow, 'pk' | 'sessionId' | 'agentId'> & Times

export function applyEffects(tx: IngestTx, owner: Owner, effects: readonly ProjectionEffect[]): void {
  for (const effect of effects) applyEffect(tx, owner, effect)
}

/** LINK-5: what the merged account lists is open, be it first seen there, or ended out of sight behind a gap. */
export function openListed(tx: IngestTx, owner: Owner, merged: HostState | null): void {
  // A host's account lists what it likes.
  const room = new RequestRoom(tx, owner)
  for (const ask of merged?.requests ?? []) {
    const row = tx.requests.find(ask.requestId)
    if (row && row.sessionPk !== owner.pk) continue
    const isNew = row?.outcome !== 'open'
    if (!isNew && !lacksTheWhole(row, ask)) continue
    if (room.takes(JSON.stringify(ask).length)) openRequest(tx, owner, ask)
  }
}

/** First seen in an event or in `state`. Another session's row is never touched. */
function openRequest(tx: IngestTx, owner: Owner, ask: PermissionAsk): void {
  const row = tx.requests.find(ask.requestId)
  if (!row) tx.requests.insert(requestRow(owner, ask))
  else if (row.sessionPk === owner.pk) {
    // What was shown of it once stays: nobody answers, or has answered, another action than they see (VIEW-8).
    const isCompleted = row.decision === null && lacksTheWhole(row, ask)
    tx.requests.reopen(ask.requestId, isCompleted ? JSON.stringify(wholeOf(row, ask)) : row.ask)
  }
}

/** LINK-5, PERM-7: stored is what the log cut, and this is the same action with all of its input. */
export function lacksTheWhole(row: Pick<RequestRow, 'ask' | 'digest'>, { inputCut, digest, input }: PermissionAsk) {
  if (inputCut !== undefined || row.digest !== digest || !row.ask.includes('"inputCut":true')) return false
  const stored = JSON.parse(row.ask) as PermissionAsk
  return stored.inputCut === true && isCutValue(stored.input) && stored.input.sha256 === sha256(textOf(input))
}

/** As the host cut it. */
const textOf = (input: unknown) => (typeof input === 'string' ? input : (JSON.stringify(input) ?? ''))

function wholeOf(row: RequestRow, { input }: PermissionAsk): PermissionAsk {
  const { inputCut: _, ...shown } = JSON.parse(row.ask) as PermissionAsk
  return { ...shown, input }
}

function applyEffect(tx: IngestTx, owner: Owner, effect: ProjectionEffect): void {
  switch (effect.kind) {
    case 'request_opened':
      openRequest(tx, { ...owner, notBefore: owner.floors?.get(effect.seq) ?? owner.notBefore }, effect.ask)
      return
    case 'request_resolved': {
      const row = tx.requests.find(effect.requestId)
      if (row?.sessionPk === owner.pk) tx.requests.close(effect.requestId, effect.outcome, effect.seq)
      return
    }
    case 'command_caused':
      settle(tx, owner, effect)
      return
    case 'rebased':
      tx.requests.closeAllOpen(owner.pk, 'orphaned', effect.seq)
      for (const { commandId, state } of tx.commands.unsettledOfSession(owner.sessionId)) {
        const next = commandStep(state, 'rebased')
        if (next !== state) tx.commands.setState(commandId, next)
      }
      return
    case 'pruned':
      tx.requests.closeAllOpen(owner.pk, 'outcome_unknown', effect.seq)
      return
    case 'session_ended':
      tx.requests.closeAllOpen(owner.pk, 'orphaned', effect.seq)
      // One that began is settled by then.
      tx.commands.refuseWaitingPrompts(owner.sessionId, { code: 'SESSION_ENDED', message: '' })
      return
    case 'turn_completed':
      return
  }
}

type Caused = Extract<ProjectionEffect, { kind: 'command_caused' }>

function settle(tx: IngestTx, owner: Owner, { commandId, state, withoutPrompt }: Caused): void {
  const command = tx.commands.find(commandId)
  if (command?.sessionId !== owner.sessionId) return
  // A prompt that still waits in its queue is lost with the log (REB-1).
  const answer = withoutPrompt && command.promptId !== null ? 'accepted' : state
  const next = commandStep(command.state, { answer })
  if (next !== command.state) tx.commands.setState(commandId, next)
}

function requestRow(owner: Owner, ask: PermissionAsk): RequestRow {
  const askedAt = timeToShow(ask.askedAt - owner.clockOffsetMs, owner.notBefore, owner.now)
  return {
    requestId: ask.requestId,
    sessionPk: owner.pk,
    sessionId: owner.sessionId,
    agentId: owner.agentId,
    procId: ask.procId,
    digest: ask.digest,
    ask: JSON.stringify(ask),
    askedAt,
    expiresAt: ask.expiresAt === undefined ? null : withinMillis(ask.expiresAt - owner.clockOffsetMs),
    decision: null,
    decidedBy: null,
    deciderName: null,
    decidedAt: null,
    device: null,
    reason: null,
    commandId: null,
    outcome: 'open',
    resolvedSeq: null,
  }
}

/** A clock that is wrong moves no time out of what `Millis` takes. */
const withinMillis = (time: number): number => Math.min(LATEST_MILLIS, Math.max(0, Math.round(time)))
