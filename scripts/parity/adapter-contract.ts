/** The rows of the adapter contract: `@mclawnet/backend-types` 0.1.0. */
import { membersOf, type ParityDocument, row } from './rows'

const asks = 'an ask names the call that it belongs to, shows its whole input, and nothing runs before the decision'
const call = 'a tool call is told before its result, each once, under one callId'
const carried = '[PERM-7] carries the complete input, the call it belongs to and why'
const known = 'every output is one that the contract knows'
const dropped = '[LOG-8] of a line over the limit keeps the ends as raw, and reports it'
const killed = '[RES-2] a SIGKILL from outside is one exit with its signal, and the host ends the turn'
const looked = 'tells version, path and choices, and again the same'
const named = 'each adapter is called in the table as it calls itself, and no two by one kind'
const manifest = 'the manifest names kind, version, choices and capabilities, and is the same when asked again'
const finished = 'a finished turn tells its usage, its window, and its cost where the backend knows it'
const nearlyFull = 'warns once when the window is nearly full, and tells usage, and a cost only where a script has one'
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
        row(
          'ClaudeCodeAdapter',
          'is what its SDK knows: a limit of turns ends a turn',
          '`packages/adapter-claude`, on the real `claude`.',
        ),
        row(
          'OpenClawAdapter',
          'has a gateway of its own, on a private port and with a secret that is in no environment, and ends it',
          'A profile of `packages/adapter-acp`: a gateway for each session, and `openclaw acp` in front of it.',
        ),
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
        ...membersOf('tool_use', ['toolName', 'input', 'callId'], asks),
        ...membersOf('tool_result', ['callId', 'output'], call),
        row(
          'tool_result.isError',
          'deny does not run the call; the reason reaches the model where it can; the turn goes on',
        ),
        ...membersOf('system', ['subtype', 'data'], dropped),
        ...membersOf('raw', ['backend', 'payload'], dropped),
        row(
          'Rule: hub and wire never read `raw`',
          '[T30] [LOG-9.6] garbage is kept aside and stops nothing, and a secret that is found later is blanked; number and hash stay',
          'It goes to a file on the machine, not into the log.',
        ),
      ],
    },
    {
      heading: 'BackendProcess',
      rows: [
        row(
          'BackendProcess.id',
          'goes on with that conversation',
          'Of one spawn. The id of the conversation is another one.',
        ),
        row('BackendProcess.workDir', 'is where the tools work'),
        row('BackendProcess.pid', killed),
        row('BackendProcess.kill', 'stop ends a process in the middle of an answer without an exit event'),
        row('BackendProcess.isAlive', killed),
        row(
          'Rule: a process that is not alive is not used any more',
          'waits for the next program when the one before is dead and nobody has told yet',
        ),
        row(
          'Rule: after a restart a recorded process is dead',
          '[RES-6] a host that died while there was no daemon is closed by the next',
        ),
        row(
          'Rule: after a restart a recorded process is an orphan',
          '[RES-6.25] `orphans: keep` ends none; once they have ended by themselves their turn is closed, and the session goes on',
          'By default it is ended; the policy can keep it.',
        ),
        row(
          'A third class: the process goes on',
          '[PERM-3.1] [F24] [RES-1.1] a request outlives the daemon and is answered through the next one',
          'Programs and their hosts outlive a restart of the daemon, which the document does not know.',
        ),
        row(
          'Rule: a restart finds recorded processes by their pid',
          'are those recorded with their descendants, and whoever carries the mark',
          'By pid and start time, and by a mark in the environment, since a pid can belong to another program by then.',
        ),
      ],
    },
    {
      heading: 'SpawnOptions',
      rows: [
        row(
          'SpawnOptions.sessionId',
          'gives the program the context and the options, and nothing of our own environment',
          'The program has it in `ROUNDHOUSE_SESSION`.',
        ),
        row('SpawnOptions.workDir', 'is where the tools work'),
        row('SpawnOptions.resumeId', 'goes on with that conversation'),
        row('SpawnOptions.systemPrompt', 'stands above the conversation'),
        row(
          'SpawnOptions.useBrainCore',
          '[POL-6.8] a session that wants no notes of its role gets none, and nothing is told',
          'Its source of memory is a folder of Markdown notes for each role, which the policy of the machine names. Absent means yes where there is a `roleId`.',
        ),
        row('SpawnOptions.mcpConfigPath', 'adds the tools of its servers'),
        row(
          'SpawnOptions.roleId',
          roleNotes,
          'Its notes are put into the system prompt. It brings no MCP server: the notes need none.',
        ),
        row('SpawnOptions.initialUserInput', roleNotes),
        row(
          'Rule: notes are ranked by the first input',
          'come by the words they share with the input, rarer words first',
        ),
        row(
          'Rule: notes without such a query come by their importance',
          '[POL-6.2] the next program gets the notes of the folder that the policy names by then',
          'By their names: a Markdown note has no importance.',
        ),
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
          named,
          'Any kind, not only `claude` and `codex`. A session always names it, so there is no default adapter.',
        ),
        row('SpawnOptions.sandbox: read-only', 'read-only takes the writing tools away'),
        row('SpawnOptions.sandbox: workspace-write', 'read-only lets nothing be written, workspace-write does'),
        row(
          'SpawnOptions.sandbox: full-access',
          'full-access counts the whole machine as workspace and still asks',
          'Codex gets its `danger-full-access`. Only if the policy of the machine allows it.',
        ),
        row(
          'Rule: the page says that Claude Code has no sandbox of the operating system',
          'people read whether the operating system enforces the sandbox of a program: %s',
          'On the Machines page, in the list of what a program can do.',
        ),
        row(
          'Rule: an undefined sandbox is the adapter’s default',
          'workspace-write is what no sandbox means',
          'The default is `workspace-write` with asking on every backend. Claude Code’s bypass is never a default: nobody would have chosen it.',
        ),
        row('SpawnOptions.env', 'is in the environment of the tools'),
        row(
          'Rule: env is merged over the environment, never a replacement',
          'gives the program the owner’s environment, the session’s on top and a folder of its own for temporary files',
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
          'Rule: an override is of one turn, and not kept',
          '[RES-7] a turn may have its own model, and the next has the sticky one again',
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
        row('BackendAdapter.type', named),
        row('BackendAdapter.spawn', '[LOG-7] one process takes turn after turn, and each ends exactly once'),
        row('BackendAdapter.stop', 'stop ends an idle process without an exit event, and may be repeated'),
        row('BackendAdapter.send', '[LOG-7] one process takes turn after turn, and each ends exactly once'),
        row('BackendAdapter.onOutput', known, 'Typed: a handler gets a `BackendOutput`, not `unknown`.'),
        row('BackendAdapter.onPermissionRequest', asks, 'Claude Code, too: its control channel makes it possible.'),
        row('BackendAdapter.respondToPermission', 'allow runs the call as it was asked'),
        row('BackendAdapter.onTurnComplete', '[LOG-7] one process takes turn after turn, and each ends exactly once'),
        row('onTurnComplete.backendSessionId', finished),
        ...membersOf('onTurnComplete', ['contextUsage', 'contextUsage.used', 'contextUsage.total'], nearlyFull),
        row('onTurnComplete.cost', 'a resumed process reckons its first cost from what the program starts with'),
        row('onTurnComplete.duration', 'a resumed process reckons its first cost from what the program starts with'),
        row(
          'onTurnComplete.backendMeta',
          '[LOG-7.24] [LOG-7.25] [LOG-7.26] is kept as it was said, and what is too large is left out',
          'Stored with the end of the turn, redacted; the provider contract has it in `raw`.',
        ),
        row('BackendAdapter.onError', 'a prompt to a player that is gone is told as an error'),
        row(
          'BackendAdapter.onSessionStarted',
          '[LOG-4] the session id is reported once per spawn and before any output',
        ),
        row(
          'onSessionStarted.backendSessionId',
          '[LOG-4] the session id is reported once per spawn and before any output',
        ),
        row(
          'Rule: the session id is kept at once, before the first turn is over',
          '[F5] [RES-2.2] [RES-2.6] [T38] [PERM-3.3] the turn ends, the request is orphaned and gone, and the next prompt resumes the conversation',
        ),
        row('BackendAdapter.onExit', killed),
        row(
          'onExit.code',
          '[T28] half a line and death is one exit with its code, and the half line is kept as raw',
          'With the signal and the last words on stderr beside it.',
        ),
        row(
          'Rule: a process that exited is forgotten, and the hub is told',
          '[F5] [RES-2.2] [RES-2.6] [T38] [PERM-3.3] the turn ends, the request is orphaned and gone, and the next prompt resumes the conversation',
        ),
        row(
          'Rule: onExit does not fire for a stop',
          'stop ends a process in the middle of an answer without an exit event',
        ),
        row('BackendAdapter.onTokenBudgetWarning', nearlyFull),
        ...membersOf(
          'onTokenBudgetWarning',
          ['used', 'hardLimit', 'threshold', 'distanceToHard', 'maxOutputTokens'],
          warned,
        ),
        row('Rule: the ladder 32k, 16k, 8k', ladder),
        row(
          'Rule: a warning steps the ladder down, and the step survives a restart of the program',
          '[RES-7.1] a full window warns and steps the longest answer down, for good',
        ),
        row('BackendAdapter.getManifest', manifest),
        row(
          'Rule: getManifest never rejects; a missing program is `installed: false` with `unavailableReason`',
          'never rejects: a program that is missing, broken or hangs is not installed, with the reason',
        ),
        row('Rule: getManifest may be called again', manifest),
        row(
          'Rule: the agent asks for the manifest again',
          'is looked at again when its program is another file, and only then',
        ),
        ...membersOf(
          'BackendManifestEntry',
          ['kind', 'installed', 'version', 'binaryPath', 'models', 'modes', 'sandboxes', 'thinkingOptions'],
          looked,
          'The document imports it from another package.',
        ),
        row('BackendManifestEntry.label', named, 'The document imports it from another package.'),
        row('BackendManifestEntry.capabilities', manifest, 'The document imports it from another package.'),
        row(
          'BackendManifestEntry.unavailableReason',
          'a missing program is a manifest with the reason, and a spawn that says BACKEND_UNAVAILABLE',
        ),
        row(
          'Rule: the optional members may be missing',
          'an adapter without the optional members of the contract is heard by its output',
        ),
        row(
          'AgentManifestPayload',
          '[CMD-6] names the folders inside the roots, and no others, and what the backends of the machine can do',
        ),
        row(
          'Rule: a kind that is not installed is registered and greyed',
          'a program that is not installed is shown with the reason, and cannot be chosen',
        ),
      ],
    },
  ],
}
