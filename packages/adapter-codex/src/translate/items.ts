/** Thread items of Codex as tool calls and their results. Pure. */

import { asList, asNumber, asRecord, asText, asTexts, compact, type Json } from '@roundhouse/adapter-kit/read'
import { mcpToolName } from '@roundhouse/backend-types'

export interface ToolCall {
  toolName: string
  input: unknown
}

/** The tool call that an item stands for, or undefined for an item that is no tool call. */
export function toolCallOf(item: Json): ToolCall | undefined {
  switch (item.type) {
    case 'commandExecution':
      return { toolName: 'commandExecution', input: compact({ command: item.command, cwd: item.cwd }) }
    case 'fileChange':
      return { toolName: 'fileChange', input: { changes: asList(item.changes) } }
    case 'mcpToolCall':
      return {
        toolName: mcpToolName(asText(item.server) ?? 'server', asText(item.tool) ?? 'tool'),
        input: item.arguments ?? {},
      }
    case 'dynamicToolCall':
      return { toolName: asText(item.tool) ?? 'dynamicToolCall', input: item.arguments ?? {} }
    case 'collabAgentToolCall':
      return { toolName: asText(item.tool) ?? 'collabAgentToolCall', input: collabInput(item) }
    case 'subAgentActivity':
      return item.kind === 'started'
        ? { toolName: 'spawnAgent', input: compact({ agent: item.agentPath, model: item.model }) }
        : undefined
    case 'webSearch':
      return { toolName: 'webSearch', input: compact({ query: item.query, action: item.action }) }
    case 'imageView':
      return { toolName: 'imageView', input: compact({ path: item.path }) }
    case 'imageGeneration':
      return { toolName: 'imageGeneration', input: compact({ prompt: item.revisedPrompt }) }
    case 'sleep':
      return { toolName: 'sleep', input: compact({ durationMs: item.durationMs }) }
    default:
      return undefined
  }
}

/** What people may call the sub-agent that an item starts: its name, else the beginning of its task. */
export function subAgentName(item: Json): string | undefined {
  const name = asText(item.agentPath)?.replace(/^\/root\//, '')
  return name || asText(item.prompt)?.trim().split('\n', 1)[0]?.slice(0, 200) || undefined
}

function collabInput(item: Json): Json {
  const receivers = asList(item.receiverThreadIds)
  return compact({
    prompt: item.prompt,
    model: item.model || undefined,
    agents: receivers.length ? receivers : undefined,
  })
}

/** What a finished item gave. */
export function toolResultOf(item: Json): { output: unknown; isError: boolean } {
  const isError = ['failed', 'declined', 'interrupted'].includes(asText(item.status) ?? '')
  switch (item.type) {
    case 'commandExecution':
      return { output: commandOutput(item), isError }
    case 'fileChange':
      return { output: { status: item.status, changes: asList(item.changes) }, isError }
    case 'mcpToolCall':
      return { output: mcpOutput(item), isError: isError || item.error != null }
    case 'dynamicToolCall':
      return { output: asList(item.contentItems), isError: isError || item.success === false }
    case 'collabAgentToolCall':
      return { output: collabOutput(item), isError }
    case 'subAgentActivity':
      return { output: item.kind === 'started' ? 'Started.' : '', isError }
    case 'imageView':
      return { output: isError ? '' : 'The model was shown this image.', isError }
    case 'sleep':
      return { output: isError ? '' : `Waited ${(asNumber(item.durationMs) ?? 0) / 1_000} s.`, isError }
    case 'webSearch':
      return { output: compact({ action: item.action, results: item.results }), isError }
    case 'imageGeneration':
      return { output: compact({ status: item.status, savedPath: item.savedPath, failure: item.failure }), isError }
    default:
      return { output: asText(item.status) ?? '', isError }
  }
}

/** What the sub-agents said, or else how they fare. */
function collabOutput(item: Json): string {
  if (item.tool === 'spawnAgent' && item.status === 'completed') return 'Started.'
  const agents = Object.values(asRecord(item.agentsStates)).map(asRecord)
  const told = agents.map(({ message, status }) => asText(message) ?? asText(status) ?? '')
  return told.filter(Boolean).join('\n') || (asText(item.status) ?? '')
}

/** The output as a terminal would show it. A command that did not end with 0 says so in its last line. */
function commandOutput(item: Json): string {
  const output = asText(item.aggregatedOutput) ?? ''
  if (item.status === 'declined') return 'The command was refused and did not run.'
  const exitCode = asNumber(item.exitCode)
  if (exitCode === undefined) return output || (item.status === 'failed' ? 'The command did not run.' : '')
  return exitCode === 0 ? output : `${output}${output && !output.endsWith('\n') ? '\n' : ''}(exit code ${exitCode})`
}

function mcpOutput(item: Json): unknown {
  const message = asText(asRecord(item.error).message)
  if (message !== undefined) return message
  const result = asRecord(item.result)
  return result.structuredContent == null
    ? asList(result.content)
    : { content: asList(result.content), structuredContent: result.structuredContent }
}

/**
 * The text of a finished `reasoning` item: what was streamed of it, else its summary, else the raw thoughts. The parts
 * are set apart as they are in the stream.
 */
export function reasoningText(item: Json, streamed: string | undefined): string {
  const summary = asTexts(item.summary)
  const parts = streamed === 'content' || summary.length === 0 ? asTexts(item.content) : summary
  return parts.join('\n\n')
}
