/**
 * Permission requests between the CLI's `request_id` and our `callId`. An ask is open until it is decided or taken
 * back; a decision on anything else is `REQUEST_GONE`.
 */
import {
  type AnswerFields,
  type AskForm,
  CodedError,
  mcpToolName,
  type PermissionDecision,
  type PermissionRequest,
} from '@roundhouse/backend-types'
import {
  asRecord,
  compact,
  controlError,
  controlSuccess,
  type Frame,
  recordAt,
  recordsAt,
  textAt,
} from '../wire/frames'
import { elicitationForm, planOf, questionForm, withTerminalAnswers } from './questions'

interface OpenAsk {
  requestId: string
  input: unknown
  kind: 'tool' | 'question' | 'form'
  /** The sub-agent that asks. */
  agentId: string | undefined
}

export class Asks {
  private readonly open = new Map<string, OpenAsk>()

  constructor(private readonly workDir: string) {}

  /** A `can_use_tool` control request. `called` is the input of the call that it is about, as the model wrote it. */
  asked(frame: Frame, called?: unknown): PermissionRequest {
    const request = recordAt(frame, 'request')
    const requestId = textAt(frame, 'request_id') ?? ''
    const callId = textAt(request, 'tool_use_id') ?? requestId
    const input = request?.input ?? {}
    const toolName = textAt(request, 'tool_name') ?? 'unknown'
    const form = toolName === 'AskUserQuestion' ? questionForm(asRecord(input)) : undefined
    this.open.set(callId, { requestId, input, kind: form ? 'question' : 'tool', agentId: textAt(request, 'agent_id') })
    return {
      callId,
      toolName,
      input,
      meta: compact({
        backend: 'claude',
        reason: reasonOf(request),
        cwd: this.workDir,
        canEdit: true,
        canExplainDeny: true,
        blockedPath: textAt(request, 'blocked_path'),
        agentId: textAt(request, 'agent_id'),
        ...(form ? answersTo('answers', form) : {}),
        ...(toolName === 'ExitPlanMode' ? { canSetMode: true, plan: planOf(asRecord(input), asRecord(called)) } : {}),
        suggestedCommands: suggestedCommandsOf(request),
        requiresUserInteraction: request?.requires_user_interaction === true ? true : undefined,
      }),
    }
  }

  /** An `elicitation` control request: an MCP server asks by a form. It has no call of its own. */
  elicited(frame: Frame): PermissionRequest {
    const request = recordAt(frame, 'request')
    const requestId = textAt(frame, 'request_id') ?? ''
    const form = elicitationForm(request)
    const input = compact({
      message: request?.message,
      mode: request?.mode,
      requestedSchema: request?.requested_schema,
      url: request?.url,
    })
    this.open.set(requestId, { requestId, input, kind: 'form', agentId: textAt(request, 'agent_id') })
    const meta = { backend: 'claude', cwd: this.workDir, canEdit: false, canExplainDeny: false, serverName: form.from }
    return {
      callId: requestId,
      toolName: mcpToolName(form.from ?? 'server', 'elicitation'),
      input,
      meta: { ...compact(meta), ...answersTo('content', form) },
    }
  }

  /** A `control_cancel_request`: returns the `callId` that needs no decision any more. */
  withdrawn(frame: Frame): string | undefined {
    const requestId = textAt(frame, 'request_id')
    for (const [callId, ask] of this.open) {
      if (ask.requestId !== requestId) continue
      this.open.delete(callId)
      return callId
    }
    return undefined
  }

  isForm(callId: string): boolean {
    return this.open.get(callId)?.kind === 'form'
  }

  /** A sub-agent ended: returns the `callId`s that need no decision any more. */
  leave(agentId: string): string[] {
    const left = [...this.open].flatMap(([callId, ask]) => (ask.agentId === agentId ? [callId] : []))
    for (const callId of left) this.open.delete(callId)
    return left
  }

  /** The line that carries the decision to the CLI. It closes the ask, whatever the decision is. */
  replyTo(decision: PermissionDecision): Frame {
    const ask = this.open.get(decision.callId)
    if (!ask) throw new CodedError('REQUEST_GONE', undefined, { callId: decision.callId })
    this.open.delete(decision.callId)
    if (decision.unanswered) return controlError(ask.requestId, decision.reason ?? 'Nobody answered the request.')
    return controlSuccess(ask.requestId, ask.kind === 'form' ? formReply(decision) : callReply(decision, ask))
  }
}

/** A reply in the form of MCP, which has no place for a reason. */
function formReply({ decision, updatedInput }: PermissionDecision): Frame {
  if (decision === 'deny') return { action: 'decline' }
  if (decision === 'abort') return { action: 'cancel' }
  return { action: 'accept', content: recordAt(asRecord(updatedInput), 'content') ?? {} }
}

function callReply(told: PermissionDecision, { input, kind }: OpenAsk): Frame {
  const { decision, reason, updatedInput } = told
  const runs = updatedInput ?? input
  switch (decision) {
    case 'allow':
    // The grant lives in the host's ledger (PERM-5): the CLI is told a plain allow and asks again next time.
    case 'allow_session':
      // The input always goes along: 2.1.197 fails the call of an allow without one.
      return {
        behavior: 'allow',
        updatedInput: kind === 'question' ? withTerminalAnswers(runs) : runs,
        ...updatesOf(told),
      }
    case 'deny':
      return { behavior: 'deny', message: reason ?? 'The person denied this.' }
    case 'abort':
      return { behavior: 'deny', message: reason ?? 'The person stopped the turn.', interrupt: true }
  }
}

/** A plan may be approved together with the mode in which it is carried out. */
function updatesOf({ mode, updatedPermissions = [] }: PermissionDecision): Frame {
  const all = [
    ...(mode === undefined ? [] : [{ type: 'setMode', mode, destination: 'session' }]),
    ...updatedPermissions,
  ]
  return all.length === 0 ? {} : { updatedPermissions: all }
}

/** For a caller that speaks the program's own language: what the program suggests, as it says it. */
export function withSuggestions(request: PermissionRequest, frame: Frame): PermissionRequest {
  const suggestions = recordAt(frame, 'request')?.permission_suggestions
  return suggestions === undefined ? request : { ...request, meta: { ...request.meta, suggestions } }
}

function answersTo(field: AnswerFields['field'], form: AskForm): { form: AskForm; answerFields: AnswerFields } {
  return { form, answerFields: { field, names: form.fields.map(({ name }) => name) } }
}

/** Why it asks, in the CLI's words; its own description of the call is the model's. */
function reasonOf(request: Frame | undefined): string | undefined {
  const blockedPath = textAt(request, 'blocked_path')
  return textAt(request, 'decision_reason') ?? (blockedPath ? `Touches ${blockedPath}` : textAt(request, 'description'))
}

const BEGINS_SO = /^([\w@%+./=-]+(?: [\w@%+./=:-]+?)*)(?: |:)\*$/

/**
 * Rules that the CLI would add, as far as they say "commands that begin so": `npm run *`, or `npm run:*` as it is written in
 * settings. Its other suggestions (one exact command, a folder, a mode) are no such words.
 */
function suggestedCommandsOf(request: Frame | undefined): string[][] | undefined {
  const rules = recordsAt(request, 'permission_suggestions')
    .filter(({ type, behavior }) => type === 'addRules' && behavior === 'allow')
    .flatMap((suggestion) => recordsAt(suggestion, 'rules'))
    .filter((rule) => textAt(rule, 'toolName') === 'Bash')
  const beginnings = rules.map((rule) => BEGINS_SO.exec(textAt(rule, 'ruleContent') ?? '')?.[1])
  const words = beginnings.flatMap((text) => (text === undefined ? [] : [text.split(' ')]))
  // All of a compound command's rules belong together.
  return words.length > 0 && words.length === rules.length ? words : undefined
}
