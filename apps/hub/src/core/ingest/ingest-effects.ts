/** The effects of events on the tables beside the log: requests, and the commands that the events settle. */
import { type HostState, isCutValue, LATEST_MILLIS, type PermissionAsk } from '@roundhouse/backend-types'
import { commandStep, type ProjectionEffect } from '@roundhouse/delivery'
import { sha256 } from '../common/digests'
import { timeToShow } from '../common/time-to-show'
import type { NewRequest, StreamRequest } from '../ports/request-store'
import type { NewSession } from '../ports/session-store'
import { undecided } from '../stream/working-requests'
import type { WorkingSet } from '../stream/working-set'
import { RequestRoom } from './request-room'

/** LOG-10: how far the machine's clock is ahead, and the time of the last stored event. */
export interface Times {
  clockOffsetMs: number
  notBefore: number
  /** By the number of a question's event: the time of the event above it. */
  floors?: ReadonlyMap<number, number>
  now: number
}

type Owner = Pick<NewSession, 'sessionId' | 'agentId'> & Times

export function applyEffects(set: WorkingSet, owner: Owner, effects: readonly ProjectionEffect[]): void {
  for (const effect of effects) applyEffect(set, owner, effect)
}

/**
 * LINK-5: what the merged account lists is open, be it first seen there, or ended out of sight behind a gap. False where one has no
 * room: a host's account lists what it likes.
 */
export function openListed(set: WorkingSet, owner: Owner, merged: HostState | null): boolean {
  let isWhole = true
  const room = new RequestRoom(set, owner.sessionId)
  for (const ask of merged?.requests ?? []) {
    const row = set.requests.find(ask.requestId)
    if (row && row.sessionId !== owner.sessionId) continue
    const isNew = row?.outcome !== 'open'
    if (!isNew && !lacksTheWhole(row, ask)) continue
    if (room.takes(JSON.stringify(ask).length)) openRequest(set, owner, ask)
    else isWhole = false
  }
  return isWhole
}

/** The request first appears in an event or in `state`. Another session's row is never touched. */
function openRequest(set: WorkingSet, owner: Owner, ask: PermissionAsk): void {
  const row = set.requests.find(ask.requestId)
  if (!row) set.requests.insert(requestRow(owner, ask))
  else if (row.sessionId === owner.sessionId) {
    // What was shown of it once stays: nobody decides, or has decided, another action than they see (VIEW-8).
    set.requests.reopen(ask.requestId, row.decision === null ? wholeOf(row, ask) : undefined)
  }
}

/** LINK-5, PERM-7: the stored input was cut by the log, and this is the same action with its whole input. */
export const lacksTheWhole = (row: Shown, ask: PermissionAsk): boolean => wholeOf(row, ask) !== undefined

type Shown = Pick<StreamRequest, 'ask' | 'digest'>

function wholeOf({ ask: stored, digest: shown }: Shown, { inputCut, digest, input }: PermissionAsk) {
  if (inputCut !== undefined || shown !== digest || stored?.inputCut !== true || !isCutValue(stored.input)) return
  const { inputCut: _, ...known } = stored
  return stored.input.sha256 === sha256(textOf(input)) ? { ...known, input } : undefined
}

/** The text that the host cut. */
const textOf = (input: unknown) => (typeof input === 'string' ? input : (JSON.stringify(input) ?? ''))

function applyEffect(set: WorkingSet, owner: Owner, effect: ProjectionEffect): void {
  switch (effect.kind) {
    case 'request_opened':
      openRequest(set, { ...owner, notBefore: owner.floors?.get(effect.seq) ?? owner.notBefore }, effect.ask)
      return
    case 'request_resolved': {
      const row = set.requests.find(effect.requestId)
      if (row?.sessionId === owner.sessionId) set.requests.close(effect.requestId, effect.outcome, effect.seq)
      return
    }
    case 'command_caused':
      settle(set, owner, effect)
      return
    case 'rebased':
      set.requests.closeAllOpen(owner.sessionId, 'orphaned', effect.seq)
      for (const { commandId, state } of set.commands.unsettledOfSession(owner.sessionId)) {
        const next = commandStep(state, 'rebased')
        if (next !== state) set.commands.setState(commandId, next)
      }
      return
    case 'pruned':
      set.requests.closeAllOpen(owner.sessionId, 'outcome_unknown', effect.seq)
      return
    case 'session_ended':
      set.requests.closeAllOpen(owner.sessionId, 'orphaned', effect.seq)
      // A command that began is settled by then.
      set.commands.refuseWaitingPrompts(owner.sessionId, { code: 'SESSION_ENDED', message: '' })
      return
    case 'turn_completed':
      return
  }
}

type Caused = Extract<ProjectionEffect, { kind: 'command_caused' }>

function settle(set: WorkingSet, owner: Owner, { commandId, state, withoutPrompt }: Caused): void {
  const command = set.commands.find(commandId)
  if (command?.sessionId !== owner.sessionId) return
  // A prompt that still waits in its queue is lost with the log (REB-1).
  const answer = withoutPrompt && command.promptId !== null ? 'accepted' : state
  const next = commandStep(command.state, { answer })
  if (next !== command.state) set.commands.setState(commandId, next)
}

function requestRow(owner: Owner, ask: PermissionAsk): NewRequest {
  const askedAt = timeToShow(ask.askedAt - owner.clockOffsetMs, owner.notBefore, owner.now)
  return {
    requestId: ask.requestId,
    sessionId: owner.sessionId,
    agentId: owner.agentId,
    procId: ask.procId,
    digest: ask.digest,
    ask,
    askedAt,
    expiresAt: ask.expiresAt === undefined ? null : withinMillis(ask.expiresAt - owner.clockOffsetMs),
    ...undecided,
    outcome: 'open',
    resolvedSeq: null,
  }
}

/** A wrong clock must not move a time out of the range of `Millis`. */
const withinMillis = (time: number): number => Math.min(LATEST_MILLIS, Math.max(0, Math.round(time)))
