/** What events mean for the tables beside the log: requests and the commands that the events settle. */
import type { PermissionAsk } from '@roundhouse/backend-types'
import { commandStep, type ProjectionEffect } from '@roundhouse/delivery'
import type { IngestTx, RequestRow, SessionRow } from './ports'

type Owner = Pick<SessionRow, 'pk' | 'sessionId' | 'agentId'>

export function applyEffects(tx: IngestTx, owner: Owner, effects: readonly ProjectionEffect[]): void {
  for (const effect of effects) applyEffect(tx, owner, effect)
}

/** A request first seen in `state` makes the row; the event completes it (LINK-5). Another session's row is never touched. */
export function openRequest(tx: IngestTx, owner: Owner, ask: PermissionAsk): void {
  const row = tx.request(ask.requestId)
  if (!row) tx.insertRequest(requestRow(owner, ask))
  else if (row.sessionPk === owner.pk) tx.completeRequest(ask.requestId, JSON.stringify(ask), ask.digest)
}

function applyEffect(tx: IngestTx, owner: Owner, effect: ProjectionEffect): void {
  switch (effect.kind) {
    case 'request_opened':
      openRequest(tx, owner, effect.ask)
      return
    case 'request_resolved': {
      const row = tx.request(effect.requestId)
      if (row?.sessionPk === owner.pk) tx.closeRequest(effect.requestId, effect.outcome, effect.seq)
      return
    }
    case 'command_caused':
      settle(tx, owner, effect.commandId, effect.state)
      return
    case 'rebased':
      tx.orphanOpenRequests(owner.pk, effect.seq)
      for (const { commandId, state } of tx.unsettledCommands(owner.sessionId)) {
        const next = commandStep(state, 'rebased')
        if (next !== state) tx.setCommandState(commandId, next)
      }
      return
    case 'session_ended':
      tx.orphanOpenRequests(owner.pk, effect.seq)
      return
    case 'turn_completed':
      return
  }
}

function settle(tx: IngestTx, owner: Owner, commandId: string, answer: 'done' | 'outcome_unknown'): void {
  const command = tx.command(commandId)
  if (command?.sessionId !== owner.sessionId) return
  const next = commandStep(command.state, { answer })
  if (next !== command.state) tx.setCommandState(commandId, next)
}

function requestRow(owner: Owner, ask: PermissionAsk): RequestRow {
  return {
    requestId: ask.requestId,
    sessionPk: owner.pk,
    sessionId: owner.sessionId,
    agentId: owner.agentId,
    procId: ask.procId,
    digest: ask.digest,
    ask: JSON.stringify(ask),
    askedAt: ask.askedAt,
    expiresAt: ask.expiresAt ?? null,
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
