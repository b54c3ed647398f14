/**
 * The decision register (PERM-1, PERM-2): one conditional update, one winner, and the command that carries the decision
 * to its host in the same transaction (CMD-1).
 */
import { CodedError, type DecisionRequest, type RequestView } from '@roundhouse/backend-types'
import { decide } from '@roundhouse/delivery'
import { type Actor, can } from './access'
import { entryOf, refusalOf } from './audit'
import { addCommand } from './command-maker'
import type { Context } from './context'
import type { PermissionsApi } from './facade'
import { once } from './once'
import type { RequestRow, WriteTx } from './ports'
import { composeRequest } from './view'

export function createPermissions(context: Context): PermissionsApi {
  return {
    decide: async (actor, requestId, request, key, device) => {
      if (!can(actor, 'permission.decide', context.reads.request(requestId))) {
        await context.audit(refusalOf(actor, 'permission.decide', requestId))
        throw new CodedError('FORBIDDEN', undefined, { action: 'permission.decide' })
      }
      const route = `permission.decide ${requestId}`
      const made = await once(context, { actor, route, key, body: request }, (tx) =>
        take(context, tx, { actor, requestId, request, device: device ?? null }),
      )
      context.changes.session(made.sessionId)
      context.pump.kick(made.agentId)
      return viewOf(context, requestId)
    },
  }
}

interface Attempt {
  actor: Actor
  requestId: string
  request: DecisionRequest
  device: string | null
}

async function take(context: Context, tx: WriteTx, attempt: Attempt): Promise<{ sessionId: string; agentId: string }> {
  const { actor, requestId, request, device } = attempt
  const row = await tx.findRequest(requestId)
  if (!row) throw new CodedError('NOT_FOUND', 'There is no such request.')
  requireOpen(row, request)
  const now = context.now()
  const { decision, digest, reason, updatedInput } = request
  const { sessionId, agentId, procId } = row
  const { commandId } = await addCommand(tx, {
    sessionId,
    agentId,
    actor,
    now,
    expiresAt: row.expiresAt,
    body: {
      kind: 'permission.decide',
      requestId,
      procId,
      decision,
      digest,
      ...(reason === undefined ? {} : { reason }),
      ...(updatedInput === undefined ? {} : { updatedInput }),
    },
  })
  const register = { answer: decision, userId: actor.userId, userName: actor.name, at: now, device, commandId }
  if (!(await tx.decideRequest(requestId, { ...register, reason: reason ?? null }))) {
    throw new CodedError('PERMISSION_ALREADY_DECIDED')
  }
  const detail = { decision, digest, edited: updatedInput !== undefined, sessionId, commandId }
  await tx.audit(entryOf(actor, 'permission.decide', requestId, { ...detail, ...(device ? { device } : {}) }), now)
  return { sessionId, agentId }
}

function requireOpen(row: RequestRow, request: DecisionRequest): void {
  const decision = row.decision === null ? null : { answer: row.decision, digest: row.digest }
  const attempt = { answer: request.decision, digest: request.digest }
  const decided = decide({ decision, outcome: row.outcome, digest: row.digest }, attempt)
  if (decided.kind === 'lost') {
    const by = row.deciderName === null ? undefined : { by: row.deciderName, decision: row.decision }
    throw new CodedError(decided.error, undefined, { outcome: row.outcome, ...by })
  }
  const ask = JSON.parse(row.ask) as { canEdit?: boolean }
  const edits = request.updatedInput !== undefined
  if (edits && (ask.canEdit !== true || request.decision === 'deny' || request.decision === 'abort')) {
    throw new CodedError('EDIT_NOT_ALLOWED')
  }
}

function viewOf({ reads }: Context, requestId: string): RequestView {
  const row = reads.request(requestId)
  if (!row) throw new CodedError('NOT_FOUND', 'There is no such request.')
  return composeRequest(row)
}
