/** The rows of the runtime for channels: "Implement AgentRuntime interface and type contracts". */
import { membersOf, type ParityDocument, row } from './rows'

const keeps = '%s has every field, and keeps it'
const inOrder = '[EXEC-1.1] is its events in order and one done, and nothing that is reported afterwards'
const params = '[EXEC-1.5] takes what its params say'
const closed = '[EXEC-1.4] of a program that ends in the turn is an error and done, and its calls are closed'
const figures = '[RUN-3.3] has the figures that the program reports, and no others'
const said = '[RUN-3.1] has what was said in the main conversation, the id of the conversation, and how long it took'
const code = '[RUN-3.4] says by `errorSubtype` %s'
const denials = '[RUN-3.5] are the calls that did not run because nobody allowed them, each once, with the reason'
const effects = 'are what it published, sent and started, by the names of the tools'
const payloads = 'is one payload with the text, or none'
const told = '[EXEC-5.1] is the prompt, and what happens is told in order: pieces, blocks, results of tools'
const counted = '[EXEC-5.2] has the side effects that the tools of its session counted, asked once'
const ofChannels =
  'Whoever embeds the bridge fills it in; the bridge reads only `text`. The hub’s own chat ([chat.md](chat.md)) needs less of a message.'
const absent = 'Absent where nobody knows it, and not `undefined`: the result is JSON.'

export const channelRuntime: ParityDocument = {
  title: 'AgentRuntime and its type contracts',
  about:
    'The runtime for channels. The types are in `packages/backend-types/src/agent-runtime`, as schemas; `packages/runtime/src/execute` runs them over any adapter, and runs of a hub ([automation.md](automation.md)) and `roundhouse-agent run` give the same events and results.',
  sections: [
    {
      heading: 'AgentRuntime',
      rows: [
        row('AgentRuntime.execute', inOrder),
        row(
          'Rule: one module of types, without code',
          'have no other events, and an event that lacks a field is none',
          'They are schemas, so that what crosses a wire is checked, and the types follow from them.',
        ),
        row('Rule: NDJSON stream -> AgentEvent[] -> AgentRunResult', '[RUN-7.7] is streamed, and ends its program'),
        row(
          'Rule: one CLI subprocess for each execute',
          '[EXEC-1.2] starts when somebody reads, and is closed when its program is gone',
        ),
        row(
          'Rule: claude, codex, opencode',
          '[RUN-7.7] [RUN-3.1] [RUN-3.3] of %s is streamed, has its result, and ends its program',
          'Gemini CLI runs through the same adapter as OpenCode.',
        ),
      ],
    },
    {
      heading: 'AgentExecuteParams',
      rows: [
        ...membersOf('AgentExecuteParams', ['prompt', 'systemPrompt', 'sessionId', 'workingDirectory', 'env'], params),
        row(
          'AgentExecuteParams.mcpServers',
          '[EXEC-1.5] gives its program the MCP servers in a private file, which is gone after the run',
        ),
        row('AgentExecuteParams.abortSignal', '[EXEC-2.1] in the turn is done with aborted, and the program is gone'),
      ],
    },
    {
      heading: 'AgentEvent',
      rows: [
        ...membersOf('text', ['type', 'text'], inOrder),
        ...membersOf('tool_use', ['type', 'toolName', 'toolId', 'input'], inOrder),
        ...membersOf('tool_result', ['type', 'toolId', 'output'], inOrder),
        row('tool_result.isError', closed),
        ...membersOf('error', ['type', 'message', 'code'], closed),
        ...membersOf('done', ['type', 'result'], inOrder),
        row('Rule: a discriminated union of five', 'have no other events, and an event that lacks a field is none'),
      ],
    },
    {
      heading: 'AgentRunResult',
      rows: [
        ...membersOf('AgentRunResult', ['text', 'durationMs'], said),
        row('AgentRunResult.sessionId', said, absent),
        row('AgentRunResult.usage', figures, absent),
        row('AgentRunResult.aborted', code),
        ...membersOf('AgentRunResult', ['totalCostUsd', 'apiDurationMs', 'numTurns', 'stopReason'], figures),
        row('AgentRunResult.errorSubtype', code),
        row('AgentRunResult.permissionDenials', denials),
        ...membersOf('AgentUsage', ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'], figures),
        ...membersOf('PermissionDenial', ['tool', 'reason'], denials),
      ],
    },
    {
      heading: 'McpSideEffects',
      rows: [
        ...membersOf('McpMessageTarget', ['tool', 'provider', 'to'], effects),
        row(
          'McpMessageTarget.accountId',
          keeps,
          'The tools of Roundhouse send within one hub, which has one account; so they leave it out.',
        ),
        ...membersOf('McpSideEffects', ['sentTexts', 'sentTargets'], effects),
        row(
          'McpSideEffects.sentMediaUrls',
          effects,
          'Always empty: no tool of a session sends a picture or a file by its address.',
        ),
        row(
          'McpSideEffects.cronAdds',
          effects,
          'Always 0: no tool of a session makes a schedule. Schedules are cron’s, by the recipe of [automation.md](automation.md).',
        ),
        row('Rule: zero-value defaults', 'has its empty values where nothing was sent: lists and 0, never absent'),
        row(
          'Rule: tracked by the gateway’s MCP server',
          '[RUN-4.2] counts what its program asked the hub to send, and not what the hub refused',
          'Counted from the log of the session, which has each call of a tool once.',
        ),
        row('Rule: mcpServer.drain()', counted, '`sideEffects()` of the ports, asked once, at the end.'),
        row(
          'Rule: didSendViaMcpTool is derived',
          '[RUN-4.3] are nothing for a run that sent nothing, and stay bounded for one that sends without end',
          '`sentTargets.length > 0`. There is no field.',
        ),
      ],
    },
    {
      heading: 'AgentDeliveryResult',
      rows: [
        ...membersOf('AgentDeliveryResult', ['payloads', 'run', 'mcp'], payloads),
        row('Rule: AgentRunResult + McpSideEffects + derived payloads', payloads),
        row('AgentDeliveryResult.error', 'has a sentence where the run has a code'),
        row('Rule: payloads is text ? [{ text }] : []', payloads),
        row(
          'Rule: composite, never flat',
          '[RUN-4.4] has a result once it is over, and not before',
          'Over REST as well.',
        ),
        row('ReplyPayload.text', payloads),
        row('ReplyPayload.isError', told),
        ...membersOf(
          'ReplyPayload',
          ['mediaUrl', 'mediaUrls', 'replyToId'],
          keeps,
          'A program’s answer is text, so a run fills in none of it.',
        ),
      ],
    },
    {
      heading: 'Channels',
      rows: [
        row('ChannelBridge.handle', told, 'For programs that embed it. A run of the hub gives the same result.'),
        row('ChannelMessage.text', told),
        ...membersOf(
          'ChannelMessage',
          ['id', 'from', 'channelId', 'provider', 'timestamp', 'replyToId', 'mediaUrls', 'userName', 'metadata'],
          keeps,
          ofChannels,
        ),
        ...membersOf('BridgeCallbacks', ['onPartialReply', 'onBlockReply', 'onToolResult'], told),
        row(
          'Channels: WhatsApp, Telegram, Slack, Discord',
          '[CHAN-4.3] [CHAN-5.4] starts a session like an earlier one, prompts it, and shows the answer while it grows',
          'Telegram is built. Another one fills the same port, `apps/hub/src/channels/port`.',
        ),
        row('Rule: a callback that fails ends nothing', '[EXEC-5.3] goes on where a callback fails, and says so'),
      ],
    },
  ],
}
