/**
 * The decision register (PERM-1, PERM-2): one conditional update, one winner. The command that carries the decision to
 * its host is created in the same transaction (CMD-1).
 */

import {
  type Action,
  type Answers,
  type AskForm,
  answerProblems,
  CodedError,
  chosenScope,
  type DecisionRequest,
  type PermissionAsk,
  PROMPT_LIMIT_BYTES,
  type RequestView,
} from '@roundhouse/backend-types'
import { decide } from '@roundhouse/delivery'
import { type Actor, can } from '../access/access'
import { entryOf, refusalOf } from '../audit/audit'
import { sha256 } from '../common/digests'
import type { Changes } from '../doorbells/changes'
import type { AuditEntry } from '../ports/audit-store'
import type { RequestRow } from '../ports/request-store'
import type { Reads } from '../ports/stores'
import { composeRequest } from '../views/view'
import { once } from '../writes/once'
import type { PersonTx, WriteAs } from '../writes/write-as'
import { addCommand } from './command-maker'
import type { CommandPump } from './command-pump'
import { neededFor } from './decision-rights'

interface PermissionsDeps {
  audit: (entry: AuditEntry) => Promise<void>
  changes: Changes
  now: () => number
  pump: CommandPump
  reads: Pick<Reads, 'requests'>
  writeAs: WriteAs
}

export interface PermissionsApi {
  /** `device`: where the person decided, in words for the page. */
  decide(
    actor: Actor,
    requestId: string,
    request: DecisionRequest,
    idempotencyKey: string,
    device?: string,
  ): Promise<RequestView>
}

export function createPermissions(deps: PermissionsDeps): PermissionsApi {
  return {
    decide: async (actor, requestId, request, key, device) => {
      const attempt = { actor, requestId, request, device: device ?? null }
      const route = `permission.decide ${requestId}`
      const made = await once(
        deps,
        { actor, route, key, body: request },
        (tx) => take(deps, tx, attempt),
        async (tx) => requireMay(attempt, await tx.requests.find(requestId)),
      ).catch(async (error) => {
        if (error instanceof MayNot)
          await deps.audit(refusalOf(actor, 'permission.decide', requestId, { needs: error.action }))
        throw error
      })
      deps.changes.session(made.sessionId)
      deps.pump.kick(made.agentId, made.sessionId)
      return viewOf(deps, requestId)
    },
  }
}

interface Attempt {
  actor: Actor
  requestId: string
  request: DecisionRequest
  device: string | null
}

class MayNot extends CodedError {
  constructor(readonly action: Action) {
    super('FORBIDDEN', undefined, { action })
  }
}

/** Judged in the transaction that decides: the row, and so its machine, is the one that is written. */
function requireMay({ actor, request }: Attempt, row: RequestRow | null): void {
  const refused = neededFor(request).find((action) => !can(actor, action, row ?? undefined))
  if (refused !== undefined) throw new MayNot(refused)
}

async function take(
  deps: PermissionsDeps,
  tx: PersonTx,
  attempt: Attempt,
): Promise<{ sessionId: string; agentId: string }> {
  const { actor, requestId, request, device } = attempt
  const row = await tx.requests.find(requestId)
  if (!row) throw new CodedError('NOT_FOUND', 'Request not found.')
  requireOpen(row, request)
  const now = deps.now()
  const { decision, digest, reason, updatedInput, answers, mode, scopeId, always } = request
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
      ...(answers === undefined ? {} : { answers }),
      ...(mode === undefined ? {} : { mode }),
      ...(scopeId === undefined ? {} : { scopeId }),
      ...(always === undefined ? {} : { always }),
    },
  })
  const register = { decision, userId: actor.userId, userName: actor.name, at: now, device, commandId }
  if (!(await tx.requests.decide(requestId, { ...register, reason: reason ?? null }))) {
    throw new CodedError('PERMISSION_ALREADY_DECIDED')
  }
  const detail = { decision, digest, edited: updatedInput !== undefined, sessionId, commandId, ...said(request) }
  await tx.audit.append(
    entryOf(actor, 'permission.decide', requestId, { ...detail, ...(device ? { device } : {}) }),
    now,
  )
  return { sessionId, agentId }
}

/** What the person wrote, for the audit log. A reason is text to the model; the row of the outcome has an edit or answers. */
function said(request: DecisionRequest): Record<string, string | true> {
  const { reason, updatedInput, answers, mode, scopeId, always } = request
  const sent = updatedInput ?? answers
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(sent === undefined ? {} : { sentSha256: sha256(JSON.stringify(sent)) }),
    ...(mode === undefined ? {} : { mode }),
    ...(scopeId === undefined ? {} : { scopeId }),
    ...(always === undefined ? {} : { always }),
  }
}

function requireOpen(row: RequestRow, request: DecisionRequest): void {
  const decision = row.decision === null ? null : { decision: row.decision, digest: row.digest }
  const attempt = { decision: request.decision, digest: request.digest }
  const decided = decide({ decision, outcome: row.outcome, digest: row.digest }, attempt)
  if (decided.kind === 'lost') {
    const by = row.deciderName === null ? undefined : { by: row.deciderName, decision: row.decision }
    throw new CodedError(decided.error, undefined, { outcome: row.outcome, ...by })
  }
  const { ask } = row
  if (!ask) throw new CodedError('STORAGE_DAMAGED')
  requireReadable(ask, request)
  requireOffered(ask, request)
  requireAnswered(ask, request)
}

const allows = ({ decision }: DecisionRequest) => decision === 'allow' || decision === 'allow_session'

/** Nobody may allow a request that could not be shown, whatever else the decision carries. */
function requireReadable({ form }: PermissionAsk, request: DecisionRequest): void {
  if (form?.problem && allows(request)) throw new CodedError('FORM_UNREADABLE', form.problem.message)
}

/** A form needs a complete answer: an allow without answers counts as an empty one. */
function requireAnswered({ form }: PermissionAsk, request: DecisionRequest): void {
  if (form && allows(request)) requireFitting(form, request.answers ?? {})
}

/** Extras of a decision must be offered by the request, and only go with an allow of this one action. */
function requireOffered(ask: PermissionAsk, request: DecisionRequest): void {
  const { decision, updatedInput, answers, mode, scopeId, always } = request
  const isChosen = scopeId !== undefined || always === true
  if (isChosen && (decision !== 'allow_session' || !chosenScope(ask, scopeId, always))) {
    throw new CodedError('EDIT_NOT_ALLOWED', 'This request does not offer that scope.')
  }
  if (updatedInput === undefined && answers === undefined && mode === undefined) return
  // Measured as sent: a short number of a body may become long text.
  if (updatedInput !== undefined && Buffer.byteLength(JSON.stringify(updatedInput)) > PROMPT_LIMIT_BYTES) {
    throw new CodedError('FRAME_TOO_LARGE', 'An edit may have as many bytes as a prompt.')
  }
  const names = ask.answerFields?.names
  const offered =
    decision === 'allow' &&
    (updatedInput === undefined || (takesEdit(ask) && answers === undefined)) &&
    (answers === undefined || (names !== undefined && Object.keys(answers).every((name) => names.includes(name)))) &&
    (mode === undefined || takesMode(ask, mode))
  if (!offered) throw new CodedError('EDIT_NOT_ALLOWED')
}

/** A form takes no edit: its answers would reach the program unchecked. */
const takesEdit = ({ canEdit, form }: PermissionAsk) => canEdit && form === undefined

/** A plan lists the modes that the person saw. */
function takesMode({ canSetMode, plan }: PermissionAsk, mode: string): boolean {
  return canSetMode === true && (plan === undefined || Object.values(plan.modes ?? {}).includes(mode))
}

/** Incomplete answers never reach a program (PERM-2). */
function requireFitting(form: AskForm, answers: Answers): void {
  const problems = answerProblems(form, answers)
  if (problems.length > 0) throw new CodedError('ANSWER_INVALID', undefined, { problems })
}

async function viewOf({ reads }: PermissionsDeps, requestId: string): Promise<RequestView> {
  const row = await reads.requests.find(requestId)
  if (!row) throw new CodedError('NOT_FOUND', 'Request not found.')
  return composeRequest(row)
}
