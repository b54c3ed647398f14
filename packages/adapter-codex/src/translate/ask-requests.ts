/** Requests of `codex app-server` as permission requests. Pure. */

import type { RpcId } from '@roundhouse/adapter-kit'
import { asList, asRecord, asText, asTexts, compact, type Json } from '@roundhouse/adapter-kit/read'
import { type AskForm, boundedForm, formOfSchema, mcpToolName } from '@roundhouse/backend-types'
import type { Ask, AskKind } from './asks'
import type { ToolCall } from './items'
import { questionForm } from './questions'

export interface AskContext {
  /** The open call with this id: it holds the changes that a file request leaves out. */
  call(callId: string): ToolCall | undefined
  /** The open call that an MCP question is about. */
  findMcp(threadId: string, toolName: string, input: unknown): string | undefined
}

/** Undefined for a request that is no question to a person, or one that could not be shown whole. */
export function askOf(id: RpcId, method: string, params: Json, context: AskContext): Ask | undefined {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return commandAsk(id, params)
    case 'item/fileChange/requestApproval':
      return fileAsk(id, params, context)
    case 'mcpServer/elicitation/request':
      return elicitationAsk(id, params, context)
    case 'item/tool/requestUserInput':
      return questionAsk(id, params)
    case 'item/permissions/requestApproval':
      return permissionsAsk(id, params)
    default:
      return undefined
  }
}

function commandAsk(id: RpcId, params: Json): Ask {
  const callId = asText(params.itemId) ?? `request-${id}`
  const isInput = params.kind === 'writeStdin'
  const input = compact({
    command: params.command,
    cwd: params.cwd,
    // Everything else that an allow would permit is part of the action, and therefore of its digest.
    network: params.networkApprovalContext,
    additionalPermissions: params.additionalPermissions,
  })
  const amendment = asTexts(params.proposedExecpolicyAmendment)
  const meta = compact({
    approvalId: params.approvalId,
    suggestedCommands: amendment.length > 0 ? [amendment] : undefined,
  })
  // Text for a running command is another action than a command: a grant for one must not cover the other.
  const toolName = isInput ? 'writeStdin' : 'commandExecution'
  return make(id, 'command', params, { callId, madeUp: false }, toolName, input, meta)
}

function fileAsk(id: RpcId, params: Json, context: AskContext): Ask | undefined {
  const callId = asText(params.itemId) ?? ''
  const call = context.call(callId)
  // The request itself has no diff. Without the item nobody could see what they would allow.
  if (!call) return undefined
  const input = compact({ ...asRecord(call.input), grantRoot: params.grantRoot })
  return make(id, 'file', params, { callId, madeUp: false }, 'fileChange', input, {})
}

function elicitationAsk(id: RpcId, params: Json, context: AskContext): Ask {
  const server = asText(params.serverName) ?? 'server'
  const about = asRecord(params._meta)
  const meta = { serverName: server }
  const tool = asText(about.tool_name)
  if (about.codex_approval_kind === 'mcp_tool_call' && tool !== undefined) {
    const toolName = mcpToolName(server, tool)
    const input = about.tool_params ?? {}
    const found = context.findMcp(asText(params.threadId) ?? '', toolName, input)
    const call = { callId: found ?? `request-${id}`, madeUp: found === undefined }
    return make(id, 'mcp', { ...params, reason: params.message }, call, toolName, input, meta)
  }
  const input = compact({
    message: params.message,
    mode: params.mode,
    requestedSchema: params.requestedSchema,
    url: params.url,
  })
  const call = { callId: `request-${id}`, madeUp: true }
  const form = elicitationForm(server, params)
  const more = { ...compact(meta), canEdit: true, ...answersTo('content', form) }
  return make(id, 'form', params, call, mcpToolName(server, 'elicitation'), input, more)
}

function questionAsk(id: RpcId, params: Json): Ask {
  const call = { callId: asText(params.itemId) ?? `request-${id}`, madeUp: true }
  const input = { questions: asList(params.questions) }
  const more = { canEdit: true, ...answersTo('answers', questionForm(input.questions)) }
  return make(id, 'question', params, call, 'request_user_input', input, more)
}

/** The form of an MCP server, or the page that it wants opened. */
function elicitationForm(server: string, params: Json): AskForm {
  const message = asText(params.message)
  const words = { from: server, ...(message ? { message } : {}) }
  const url = asText(params.url)
  if (params.mode === 'url' && url !== undefined) return boundedForm({ ...words, url, fields: [] })
  return formOfSchema(params.requestedSchema, words)
}

function answersTo(field: 'answers' | 'content', form: AskForm): Json {
  return { form, answerFields: { field, names: form.fields.map(({ name }) => name) } }
}

function permissionsAsk(id: RpcId, params: Json): Ask {
  const call = { callId: asText(params.itemId) ?? `request-${id}`, madeUp: true }
  const input = { permissions: compact(asRecord(params.permissions)), cwd: params.cwd }
  return make(id, 'permissions', params, call, 'request_permissions', input, {})
}

function make(
  id: RpcId,
  kind: AskKind,
  params: Json,
  call: { callId: string; madeUp: boolean },
  toolName: string,
  input: unknown,
  meta: Json,
): Ask {
  return {
    id,
    kind,
    threadId: asText(params.threadId) ?? '',
    turnId: asText(params.turnId),
    madeUp: call.madeUp,
    request: {
      callId: call.callId,
      toolName,
      input,
      meta: {
        backend: 'codex',
        canEdit: false,
        canExplainDeny: true,
        ...compact({ reason: asText(params.reason), cwd: asText(params.cwd) }),
        ...meta,
      },
    },
  }
}
