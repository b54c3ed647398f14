/** The rows of the provider contract: `github.com/RenseiAI/donmai/agent` 1.0.0. */
import { membersOf, type ParityDocument, row } from './rows'

const keeps = '%s keeps every field'
const capabilities = '[CAP-1.1] are written again as they were read: %s'
const started = 'what the program does not take is UNSUPPORTED before anything starts'
const rules =
  'allow by a pattern, deny by a pattern, ask about the rest, the transcript names the pattern, and they hold after a restart of the host'
const tools = 'say which tool was called, for how long it runs, and what it gave'
const summed = 'ends with the tokens, the cost and the number of all its turns'
const verdicts = 'are these for verdicts and decisions, and no others'
const absent = '%s leaves absent what is absent'
const eventKeeps = '%s keeps all of its fields in JSON'
const session = 'a session is one init, its events, one result, then closed; and its id resumes it'
const words = 'are these for efforts, sandboxes and statuses'
const names = 'are these for providers, and stub is the scripted one'
const refuses = 'refuses %o'
const passes = 'passes on %s'
const shapeOnly = 'A shape that round-trips. Roundhouse runs no such step, so it fills in none of it.'
const hostJudges = 'The host judges the patterns before anybody is asked, for every program that asks.'

export const agentContract: ParityDocument = {
  title: '`github.com/RenseiAI/donmai/agent` 1.0.0',
  about:
    'The contract of a provider. It lives in `packages/runtime`, as a view over any adapter. Methods are written in lower camel case, a context is an `AbortSignal`, a channel is an async iterator, and fields are named by their JSON tags.',
  sections: [
    {
      heading: 'Functions',
      rows: [
        row(
          'IsSupported',
          '[CAP-1.3] %s is %s, and absent is false',
          'In `packages/backend-types`, where hub, host and page use it.',
        ),
        row('MarshalEvent', '%s says its kind first, beside its other fields'),
        row('UnmarshalEvent', eventKeeps),
        row('Rule: an unknown kind is an error', 'with %s is refused'),
      ],
    },
    {
      heading: 'Errors',
      rows: [
        row('ErrUnsupported', started, '`UNSUPPORTED`'),
        row('ErrNoProvider', 'answers NO_PROVIDER for a name that nobody has', '`NO_PROVIDER`'),
        row(
          'ErrSessionNotFound',
          'an unknown session is SESSION_NOT_FOUND, a missing folder is no missing program',
          '`SESSION_NOT_FOUND`. A session that has ended is no error: it can be resumed.',
        ),
        row(
          'ErrSpawnFailed',
          'a missing program is PROVIDER_UNAVAILABLE at once, and SPAWN_FAILED where it went missing since',
          '`SPAWN_FAILED`',
        ),
        row(
          'ErrProviderUnavailable',
          'a missing program is PROVIDER_UNAVAILABLE at once, and SPAWN_FAILED where it went missing since',
          '`PROVIDER_UNAVAILABLE`',
        ),
        row(
          'Rule: callers wrap an error and still find it',
          '%s is found behind the words that a caller puts before it',
        ),
        row('Rule: the errors are distinct', 'are distinct codes of the error table'),
      ],
    },
    {
      heading: 'Provider and Handle',
      rows: [
        row('Provider.Name', 'a provider always says the same name and capabilities'),
        row('Provider.Capabilities', 'a provider always says the same name and capabilities'),
        row('Provider.Spawn', session),
        row('Provider.Resume', session),
        row('Provider.Shutdown', 'a provider that is shut down has ended its sessions and starts none'),
        row('Handle.SessionID', session, 'Set when `spawn` resolves, since it waits for the init event.'),
        row('Handle.Events', 'are one init, what the program says, one result, and nothing after it'),
        row('Handle.Inject', 'gives the message into the running turn, while somebody reads the events'),
        row('Handle.Stop', 'ends the session with one result, and may be repeated, also after the end'),
        row('Rule: both can be implemented outside the package', 'finds a provider by its name'),
        row(
          'Rule: the construction probes and fails fast',
          'a missing program is PROVIDER_UNAVAILABLE at once, and SPAWN_FAILED where it went missing since',
        ),
        row('Rule: exactly one InitEvent', 'have one init where a program goes on under another id'),
        row(
          'Rule: exactly one terminal event, then closed',
          'have one terminal where the adapter ends the turn twice, speaks on, or exits behind it',
        ),
        row(
          'Rule: an ErrorEvent closes the channel',
          'the caller learns the process, and a crash in the turn is one error, then closed',
        ),
        row('Rule: a cancelled context ends the session', 'is what the signal of spawn and a shutdown do'),
        row(
          'Rule: Resume is gated by SupportsSessionResume',
          'refuses to resume and to inject where its capabilities have neither',
        ),
        row(
          'Rule: Inject is gated by SupportsMessageInjection',
          'refuses to resume and to inject where its capabilities have neither',
        ),
        row(
          'Rule: Inject may run beside the reading of events',
          'gives the message into the running turn, while somebody reads the events',
        ),
        row('Rule: Stop honors the context', 'waits no longer than its signal'),
        row(
          'Rule: Stop ends the process',
          'a stopped session is one result that says so, then closed, and its process is gone',
        ),
        row(
          'Rule: Stop ends by SIGKILL a process that does not end in its time',
          'is forced on a process that ignores SIGTERM',
        ),
      ],
    },
    {
      heading: 'Events',
      rows: [
        row('Event.Kind', 'is one of eight kinds', 'A field, `kind`.'),
        row(
          'Event',
          'is one of eight kinds',
          'A closed union. What is not one of the eight is refused when read and when written.',
        ),
        ...['init', 'system', 'assistant_text', 'tool_use', 'tool_result', 'tool_progress', 'result', 'error'].map(
          (kind) => row(`EventKind: ${kind}`, eventKeeps),
        ),
        row('InitEvent.sessionId', session),
        ...membersOf('SystemEvent', ['subtype', 'message'], eventKeeps),
        row('AssistantTextEvent.text', 'are one init, what the program says, one result, and nothing after it'),
        ...membersOf('ToolUseEvent', ['toolName', 'toolUseId', 'input'], tools),
        row(
          'ToolUseEvent.toolCategory',
          'a tool runs if the named person allows it, and not in an autonomous session',
          '`shell` and `filesystem`, from what the adapter declares of its tools. The document leaves it empty where nobody has said.',
        ),
        ...membersOf('ToolResultEvent', ['toolName', 'toolUseId', 'content'], tools),
        row('ToolResultEvent.isError', 'a tool runs if the named person allows it, and not in an autonomous session'),
        ...membersOf('ToolProgressEvent', ['toolName', 'elapsedSeconds'], tools),
        ...membersOf('ResultEvent', ['success', 'errors', 'errorSubtype'], 'say that a turn was %s'),
        row('ResultEvent.message', session),
        row('ResultEvent.cost', summed),
        ...membersOf('ErrorEvent', ['message', 'code'], 'end with an error where the program crashes in its turn'),
        row(
          'raw, of every event',
          eventKeeps,
          'What the adapter says beyond the fields, typed. Frames of the program never leave its adapter (LOG-8).',
        ),
        row('Rule: absent fields are left out', '%s is written without what is absent'),
        row('Rule: empty fields are left out', 'leaves out what is empty, as a Go program does'),
        row('Rule: `kind` is flattened onto the fields', '%s says its kind first, beside its other fields'),
        row('Rule: the order of events', 'begin with the init even if the adapter speaks before it'),
      ],
    },
    {
      heading: 'Spec',
      rows: [
        row('Spec.prompt', session),
        row('Spec.cwd', passes),
        row('Spec.env', 'variables of the Spec are set, those of the house are not, and the events say so'),
        row(
          'Rule: the block list of env',
          'names the variables that no program gets',
          'By default the marks of Roundhouse’s own processes. A caller can give another list. A `system` event names what was held back.',
        ),
        row('Spec.autonomous', 'a tool runs if the named person allows it, and not in an autonomous session'),
        row(
          'Spec.sandboxEnabled',
          'takes no sandbox level without sandboxEnabled, and never more than the careful default from a missing word',
          'False means `workspace-write` with asking, never an open machine: `full-access` has to be named.',
        ),
        row('Spec.sandboxLevel', passes),
        row('Spec.allowedTools', passes),
        row('Spec.disallowedTools', passes),
        row('Spec.mcpStdioServers', 'the MCP servers of a Spec are there, and their file is gone after the session'),
        row('Spec.mcpToolNames', passes),
        row(
          'Spec.maxTurns',
          passes,
          'Claude Code has it; for other programs it is `UNSUPPORTED` instead of being ignored.',
        ),
        row('Spec.model', passes),
        row('Spec.effort', passes, 'Levels that a program does not have are `UNSUPPORTED`.'),
        row('Spec.baseInstructions', passes),
        row('Spec.systemPromptAppend', passes),
        row('Spec.permissionConfig', 'is denied by the rules of the session first', hostJudges),
        row('Spec.codeIntelligenceEnforcement', refuses, 'No backend has it: `UNSUPPORTED`.'),
        row(
          'Spec.providerConfig',
          passes,
          'By the names of the program. A name that its adapter does not know is `UNSUPPORTED`.',
        ),
        row(
          'Spec.subAgentProvider',
          refuses,
          'No backend starts helpers of another one: `UNSUPPORTED`, unless it names its own.',
        ),
        row(
          'Spec.onProcessSpawned',
          'the caller learns the process, and a crash in the turn is one error, then closed',
        ),
        row('Rule: onProcessSpawned is not in JSON', 'Spec has no callback'),
        row('JSON of Spec', keeps),
        row(
          'Rule: empty fields are left out of the JSON of a Spec',
          'Spec leaves out empty lists and texts, and keeps a maxTurns of 0 and an empty permissionConfig',
        ),
        row('Rule: unsupported fields are ignored', started, 'Turned around on purpose: nothing is dropped silently.'),
        row(
          'Rule: an effort that a provider does not support is dropped, and observers hear of it',
          started,
          'Turned around in the same way: the caller hears of it, and nothing starts.',
        ),
      ],
    },
    {
      heading: 'Parts of a Spec',
      rows: [
        ...membersOf(
          'MCPServerConfig',
          ['name', 'type', 'command', 'args', 'env', 'url', 'headers'],
          'writes servers of both kinds in the usual shape',
        ),
        row('Rule: an empty type is stdio', 'an MCP server without a type is one of a command'),
        row(
          'Rule: an effort is the program’s own setting',
          'is the effort that the model is asked for',
          'Of Claude Code and Codex. Gemini CLI has none over its protocol: its capability says so.',
        ),
        ...['low', 'medium', 'high', 'xhigh'].map((level) => row(`EffortLevel: ${level}`, words)),
        ...['read-only', 'workspace-write', 'full-access'].map((level) => row(`SandboxLevel: ${level}`, words)),
        ...membersOf('PermissionConfig', ['allowPatterns', 'disallowPatterns'], rules, hostJudges),
        row(
          'PermissionConfig.defaultDecision',
          '[PERM-12.1] [PERM-12.11] by their default, %s, decide what no pattern names, and no question',
          hostJudges,
        ),
        row('Rule: defaultDecision is `allow`, `deny` or `prompt`', verdicts),
        row('Rule: without a defaultDecision a person is asked', rules),
        row('Rule: `Bash(prefix:glob)` patterns', '[PERM-12.2] %s is read'),
        ...membersOf('CodeIntelEnforcement', ['enforceUsage', 'fallbackAfterAttempt'], keeps, shapeOnly),
      ],
    },
    {
      heading: 'Results',
      rows: [
        row('Result.status', 'of %s'),
        row('Result.providerName', 'keeps what the caller knows beside it'),
        row('Result.providerSessionId', 'keeps what the caller knows beside it'),
        row('Result.worktreePath', 'keeps what the caller knows beside it'),
        ...membersOf(
          'Result',
          ['pullRequestUrl', 'commitSha', 'workResult'],
          keeps,
          'The caller knows it and puts it in.',
        ),
        row('Rule: workResult is `passed`, `failed` or `unknown`', verdicts),
        ...membersOf('Result', ['summary', 'cost', 'failureMode', 'error'], 'of %s'),
        ...membersOf('Result', ['backstopReport', 'qualityReport'], keeps, shapeOnly),
        ...membersOf(
          'CostData',
          ['inputTokens', 'outputTokens', 'cachedInputTokens', 'totalCostUsd', 'numTurns'],
          summed,
        ),
        ...membersOf(
          'BackstopReport',
          ['triggered', 'pushed', 'prCreated', 'prUrl', 'unfilledFields', 'diagnostics'],
          keeps,
          shapeOnly,
        ),
        ...membersOf(
          'QualityReport',
          ['baselineCaptured', 'testDelta', 'typeDelta', 'lintDelta', 'blockedPromotion'],
          keeps,
          shapeOnly,
        ),
        row('Rule: absent fields stay absent', absent),
      ],
    },
    {
      heading: 'Names of providers',
      rows: ['claude', 'codex', 'stub', 'spring-ai', 'a2a', 'amp', 'gemini', 'ollama', 'opencode', 'jules'].map(
        (name) => row(`ProviderName: ${name}`, names, name === 'stub' ? 'The scripted backend.' : undefined),
      ),
    },
    {
      heading: 'Capabilities',
      rows: [
        ...membersOf(
          'Capabilities',
          [
            'supportsMessageInjection',
            'supportsSessionResume',
            'supportsToolPlugins',
            'needsBaseInstructions',
            'needsPermissionConfig',
            'supportsCodeIntelligenceEnforcement',
            'emitsSubagentEvents',
            'supportsReasoningEffort',
            'toolPermissionFormat',
            'acceptsAllowedToolsList',
            'acceptsMcpServerSpec',
          ],
          '[CAP-5.3] says of every capability what each adapter says, and what asks for it',
        ),
        row(
          'Capabilities.humanLabel',
          'each adapter is called in the table as it calls itself, and no two by one kind',
        ),
        row('JSON of Capabilities', capabilities),
        row('Rule: each capability is one field', 'have a name for every yes-or-no fact'),
        row(
          'The matrix of providers',
          '[CAP-5.3] says of every capability what each adapter says, and what asks for it',
          'In [backends.md](backends.md). Claude Code and Codex take messages into a running turn here, over their control channels; the document had not built that yet.',
        ),
        row(
          'Rule: an empty toolPermissionFormat counts as `claude`',
          '[CAP-1.2] name any grammar of tools, also one that nobody knows here',
          'It is no grammar: a program without one takes no lists of tools, and says so in `acceptsAllowedToolsList`.',
        ),
        ...[
          'message_injection',
          'session_resume',
          'tool_plugins',
          'base_instructions',
          'permission_config',
          'code_intel_enforcement',
          'subagent_events',
          'reasoning_effort',
          'tool_perm_format_claude',
          'accepts_allowed_tools_list',
          'accepts_mcp_server_spec',
        ].map((name) =>
          row(
            `Capability: ${name}`,
            name === 'tool_perm_format_claude'
              ? '[CAP-1.2] name any grammar of tools, also one that nobody knows here'
              : '[CAP-1.3] %s is %s, and absent is false',
          ),
        ),
      ],
    },
  ],
}
