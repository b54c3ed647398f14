/** The rows of the adapter contract: `@mclawnet/backend-types` 0.1.0. */
import { membersOf, type ParityDocument, row } from './rows'

const decided = '[PERM-1.3] waits with its whole action, and is applied once by an allow'
const carried = '[PERM-7] carries the complete input, the call it belongs to and why'
const known = 'every output is one that the contract knows'
const manifest = 'the manifest names kind, version, choices and capabilities, and is the same when asked again'
const finished = 'a finished turn tells its usage, its window, and its cost where the backend knows it'
const ladder = 'the ladder goes 32k, 16k, 8k and ends'
const warned = 'warns at 85 % of the window less the answer, with the distance to the hard limit'
const roleNotes = "[POL-6.1] gives a role's notes to the backend, the fitting one first, and tells which went in"

export const adapterContract: ParityDocument = {
  title: '`@mclawnet/backend-types` 0.1.0',
  about: 'The contract of an adapter. It lives in `packages/backend-types/src/adapter`.',
  sections: [
    {
      heading: 'Implementations',
      rows: [
        row('ClaudeCodeAdapter', 'is the effort that the model is asked for', '`packages/adapter-claude`'),
        row('CodexAdapter', 'untrusted asks before every command', '`packages/adapter-codex`, on `codex app-server`.'),
      ],
    },
    {
      heading: 'Permission requests',
      rows: [
        ...membersOf('PermissionRequest', ['callId', 'toolName', 'input'], carried),
        row('PermissionRequest.meta', carried, 'Typed, and open for further members.'),
        row('PermissionRequest.meta.backend', carried),
        row('PermissionRequest.meta.reason', carried),
        row('PermissionRequest.meta.cwd', carried),
        row('PermissionDecision.callId', '[PERM-6] two open asks are decided in any order'),
        row('PermissionDecision.decision: allow', 'allow runs the call as it was asked'),
        row(
          'PermissionDecision.decision: allow_session',
          '[PERM-5] allow for the session is a plain allow to the program: the next call asks again',
          'The grant lives in the host, so it works with every backend. Without a scope it counts once and says so.',
        ),
        row(
          'PermissionDecision.decision: deny',
          'deny does not run the call; the reason reaches the model where it can; the turn goes on',
        ),
        row(
          'PermissionDecision.decision: abort',
          'abort does not run the call and ends the turn; the process takes the next one',
        ),
        row(
          'PermissionDecision.reason',
          'deny does not run the call; the reason reaches the model where it can; the turn goes on',
        ),
      ],
    },
    {
      heading: 'Output',
      rows: [
        row('BackendOutput', known),
        row('assistant_text: text', 'the answer arrives as text, whole and once'),
        ...membersOf(
          'tool_use',
          ['toolName', 'input', 'callId'],
          'a tool call is told before its result, each once, under one callId',
        ),
        ...membersOf(
          'tool_result',
          ['callId', 'output'],
          'a tool call is told before its result, each once, under one callId',
        ),
        row(
          'tool_result.isError',
          'deny does not run the call; the reason reaches the model where it can; the turn goes on',
        ),
        ...membersOf('system', ['subtype', 'data'], known),
        ...membersOf(
          'raw',
          ['backend', 'payload'],
          '[LOG-8] of a line over the limit keeps the ends as raw, and reports it',
        ),
        row('Rule: hub and wire never read `raw`', '[LOG-8.1] is never raw or progress'),
      ],
    },
    {
      heading: 'BackendProcess',
      rows: [
        row('BackendProcess.id', 'refuses a process that another adapter started'),
        row('BackendProcess.workDir', 'is where the tools work'),
        row('BackendProcess.pid', 'stop ends an idle process without an exit event, and may be repeated'),
        row('BackendProcess.kill', 'stop ends a process in the middle of an answer without an exit event'),
        row(
          'BackendProcess.isAlive',
          '[RES-2] a SIGKILL from outside is one exit with its signal, and the host ends the turn',
        ),
        row(
          'Rule: a restart classifies recorded processes as dead or orphan',
          'are those recorded with their descendants, and whoever carries the mark',
          'A host that still runs is `attached`, the third class: programs outlive a restart of the daemon.',
        ),
      ],
    },
    {
      heading: 'SpawnOptions',
      rows: [
        row(
          'SpawnOptions.sessionId',
          '[SES-2] [LOG-4] runs a prompt from the creation of the session to the finished turn',
        ),
        row('SpawnOptions.workDir', 'is where the tools work'),
        row('SpawnOptions.resumeId', 'goes on with that conversation'),
        row('SpawnOptions.systemPrompt', 'stands above the conversation'),
        row(
          'SpawnOptions.useBrainCore',
          roleNotes,
          'Its source of memory is a folder of Markdown notes for each role, which the policy of the machine names.',
        ),
        row('SpawnOptions.mcpConfigPath', 'adds the tools of its servers'),
        row('SpawnOptions.roleId', roleNotes),
        row('SpawnOptions.initialUserInput', 'come by the words they share with the input, rarer words first'),
        row('SpawnOptions.additionalDirs', 'are read without asking, other folders are not'),
        row('SpawnOptions.allowedTools', 'run without asking', 'Codex has no list of tools: its capability says so.'),
        row('SpawnOptions.disallowedTools', 'do not run, whatever is answered'),
        row(
          'SpawnOptions.maxOutputTokens',
          'limits one answer',
          'Where a program has no such setting, the number serves the warning, as the document allows.',
        ),
        row(
          'SpawnOptions.backend',
          'each adapter is called in the table as it calls itself, and no two by one kind',
          'Any kind, not only `claude` and `codex`.',
        ),
        row('SpawnOptions.sandbox: read-only', 'read-only takes the writing tools away'),
        row('SpawnOptions.sandbox: workspace-write', 'allow runs the call as it was asked'),
        row(
          'SpawnOptions.sandbox: full-access',
          '[SES-2] refuses a folder outside the roots, and one above the sandbox that the machine allows',
        ),
        row(
          'Rule: an undefined sandbox is the adapter’s default',
          'allow runs the call as it was asked',
          'The default is `workspace-write` with asking on every backend. Claude Code’s bypass is never a default: nobody would have chosen it.',
        ),
        row('SpawnOptions.env', 'is in the environment of the tools'),
        row(
          'Rule: env is merged over the environment, never a replacement',
          'nothing of our own environment reaches the program',
          'Over the part of the owner’s environment that the policy allows, not over all of it.',
        ),
        row('SpawnOptions.model', 'is the model that is asked'),
        row('SpawnOptions.mode', 'acceptEdits writes without asking'),
        ...membersOf(
          'SpawnOptions.turnOverride',
          ['model', 'mode'],
          '[RES-7] an override beats the sticky setting field by field',
        ),
        row(
          'Rule: adapters see only resolved values',
          'lets a turn override beat the sticky model and mode, field by field',
        ),
      ],
    },
    {
      heading: 'BackendAdapter',
      rows: [
        row('BackendAdapter.type', manifest),
        row('BackendAdapter.spawn', '[LOG-7] one process takes turn after turn, and each ends exactly once'),
        row('BackendAdapter.stop', 'stop ends an idle process without an exit event, and may be repeated'),
        row('BackendAdapter.send', '[LOG-7] one process takes turn after turn, and each ends exactly once'),
        row('BackendAdapter.onOutput', known, 'Typed: a handler gets a `BackendOutput`, not `unknown`.'),
        row('BackendAdapter.onPermissionRequest', decided, 'Claude Code, too: its control channel makes it possible.'),
        row('BackendAdapter.respondToPermission', 'a decision on nothing, or a second decision, is REQUEST_GONE'),
        row('BackendAdapter.onTurnComplete', '[LOG-7] one process takes turn after turn, and each ends exactly once'),
        ...membersOf(
          'onTurnComplete',
          ['backendSessionId', 'cost', 'contextUsage', 'contextUsage.used', 'contextUsage.total'],
          finished,
        ),
        row('onTurnComplete.duration', 'a resumed process reckons its first cost from what the program starts with'),
        row(
          'onTurnComplete.backendMeta',
          '[LOG-7.24] [LOG-7.25] [LOG-7.26] is kept as it was said, and what is too large is left out',
          'Stored with the end of the turn, redacted; the provider contract has it in `raw`.',
        ),
        row('BackendAdapter.onError', 'tell of an error that the adapter reports, and go on'),
        row(
          'BackendAdapter.onSessionStarted',
          '[LOG-4] the session id is reported once per spawn and before any output',
        ),
        row(
          'Rule: the session id is kept at once, before the first turn is over',
          'one that died before it reported is resumed once, then begun afresh',
        ),
        row(
          'BackendAdapter.onExit',
          '[RES-2] a SIGKILL from outside is one exit with its signal, and the host ends the turn',
        ),
        row(
          'Rule: onExit does not fire for a stop',
          'stop ends a process in the middle of an answer without an exit event',
        ),
        row('BackendAdapter.onTokenBudgetWarning', warned),
        ...membersOf(
          'onTokenBudgetWarning',
          ['used', 'hardLimit', 'threshold', 'distanceToHard', 'maxOutputTokens'],
          warned,
        ),
        row('Rule: the ladder 32k, 16k, 8k', ladder),
        row('Rule: the ladder survives a restart', '[RES-7.1] changed settings stay over a restart of the host'),
        row('BackendAdapter.getManifest', manifest),
        row(
          'Rule: getManifest never rejects; a missing program is `installed: false` with `unavailableReason`',
          'a missing program is a manifest with the reason, and a spawn that says BACKEND_UNAVAILABLE',
        ),
        row('Rule: getManifest may be called again', manifest),
        ...membersOf(
          'BackendManifestEntry',
          [
            'kind',
            'label',
            'installed',
            'version',
            'binaryPath',
            'models',
            'modes',
            'sandboxes',
            'thinkingOptions',
            'capabilities',
          ],
          manifest,
          'The document imports it from another package.',
        ),
        row(
          'BackendManifestEntry.unavailableReason',
          'a missing program is a manifest with the reason, and a spawn that says BACKEND_UNAVAILABLE',
        ),
        row(
          'AgentManifestPayload',
          'is greyed with the reason where its version is outside, at once when the policy changes',
        ),
        row(
          'Rule: a kind that is not installed is registered and greyed',
          'a missing backend is greyed with its reason',
        ),
      ],
    },
  ],
}
