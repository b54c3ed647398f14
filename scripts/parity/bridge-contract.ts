/** The rows of the JSON-lines backend: "Node Backend Implementation". */
import { membersOf, type ParityDocument, row } from './rows'

const client = 'serves the test client of the document, unchanged'
const bad = 'answers a line %s with INVALID_MESSAGE, and lives'
const unknown = 'answers a message to a session that is not there with SESSION_NOT_FOUND'
const asks = 'asks the client about a tool; an allow without updated_input runs the call as it was asked for'
const denies = 'a denial reaches the model with its reason, and the turn goes on'
const interrupt = 'an interrupt ends the turn, and the session goes on'
const kill = 'that is killed settles the question that is open, and nothing of it is left'
const hooks = 'hooks are called, and what they answer has its effect'
const late = 'is denied if it asks for a permission, and lets a hook continue'
const query = 'every query has its answer, and what nobody knows an error'
const said = 'model, permission_mode, disallowed_tools, betas and agents: the program says them of itself'
const together = 'folders, live text, thinking, structure and checkpoints: they have their effect in one turn'
const flags = 'limits, another model and a sandbox are flags of the program, and a query changes how much is thought'
const ends = '[RES-6] by %s all its sessions end, and it exits with 0'
const resumed = '[RES-2] goes on after its program was killed, with all its options'
const lines = 'every line on stdout is a message, and nothing of a session is left in the agent’s state'
const edited = '[LOG-9] an edited input runs letter for letter: nothing in it is taken for a secret on its way'
const prompt = 'system_prompt: a text stands in the place of the program’s own, `append` behind it'

export const bridgeContract: ParityDocument = {
  title: 'Node Backend Implementation',
  about: 'The thin backend of JSON lines. It is `roundhouse-agent bridge`; [bridge.md](bridge.md) says how it behaves.',
  sections: [
    {
      heading: 'Messages in',
      rows: [
        row('IncomingMessage', bad, 'A closed union: what is not one of the six is an error.'),
        ...membersOf('session.create', ['id', 'payload.prompt', 'payload.cwd'], asks),
        row('session.create.payload.options', said),
        row('session.send.id', unknown),
        ...membersOf('session.send', ['session_id', 'payload.message'], resumed),
        ...membersOf('session.interrupt', ['id', 'session_id', 'payload'], interrupt),
        ...membersOf('session.kill', ['id', 'session_id', 'payload'], kill),
        ...membersOf('callback.response', ['id', 'session_id', 'payload'], asks),
        ...membersOf('query.call', ['id', 'session_id', 'payload.method', 'payload.args'], query),
      ],
    },
    {
      heading: 'Messages out',
      rows: [
        row('OutgoingMessage', lines),
        ...membersOf('session.created', ['id', 'session_id', 'payload'], asks),
        ...membersOf('session.interrupted', ['id', 'session_id', 'payload'], interrupt),
        ...membersOf('session.killed', ['id', 'session_id', 'payload'], kill),
        row('sdk.message.session_id', asks),
        row('sdk.message.payload', 'are the very objects that the program printed', 'Claude Code’s own frames.'),
        row(
          'sdk.message.payload, of other programs',
          'begin a turn with system/init and end it with a result that has the last text',
          'The document knows only Claude Code. The same frames are made from typed output.',
        ),
        ...membersOf('callback.request', ['id', 'session_id'], asks),
        row('callback.request.callback_type', late),
        ...membersOf('callback.request: can_use_tool', ['tool_name', 'tool_input'], asks),
        row('callback.request: can_use_tool.suggestions', edited),
        ...membersOf('callback.request: hook', ['hook_event', 'hook_input', 'tool_use_id'], hooks),
        ...membersOf('query.result', ['id', 'session_id', 'success', 'result', 'error'], query),
        ...membersOf('error', ['id', 'session_id', 'payload.code', 'payload.message'], bad),
        row(
          'error.payload.details',
          '[POL-1] creates no session that the policy of the machine refuses, and says by which rule',
        ),
      ],
    },
    {
      heading: 'Options',
      rows: [
        ...membersOf('options', ['model', 'permission_mode', 'disallowed_tools', 'betas', 'agents'], said),
        row('options.allowed_tools', 'allowed_tools: what they name runs unasked'),
        row('options.system_prompt: a text', prompt),
        row('options.system_prompt: a preset with `append`', prompt),
        ...membersOf('options', ['max_turns', 'max_budget_usd', 'fallback_model'], flags),
        ...membersOf(
          'options',
          [
            'max_thinking_tokens',
            'include_partial_messages',
            'enable_file_checkpointing',
            'additional_directories',
            'output_format',
          ],
          together,
        ),
        row('options.mcp_servers', 'mcp_servers: they start, and mcpServerStatus says so'),
        row('options.hooks', hooks),
        row('options.hooks: matcher', hooks),
        row(
          'options.sandbox',
          flags,
          'An object is the program’s own setting. One of our three levels can stand in its place.',
        ),
        row('options.setting_sources', 'setting_sources: the repository’s settings are loaded where they are named'),
        row('Rule: empty options are absent', 'that are empty, zero or null are absent, as the document reads them'),
        row(
          'Options that a program has no word for',
          'refuses options that would have no effect on the program',
          'Refused instead of ignored.',
        ),
      ],
    },
    {
      heading: 'Errors',
      rows: [
        row('INVALID_MESSAGE', bad),
        row('SESSION_NOT_FOUND', unknown),
        row(
          'SESSION_CREATE_FAILED',
          '[POL-1] creates no session that the policy of the machine refuses, and says by which rule',
        ),
        row('SDK_ERROR', resumed),
        row('Rule: no error ends the backend', bad),
        row('INTERRUPT_FAILED', 'an interrupt that the program refuses is INTERRUPT_FAILED, with the reason'),
      ],
    },
    {
      heading: 'Queries',
      rows: [
        ...['supportedModels', 'supportedCommands', 'accountInfo', 'setModel', 'setPermissionMode'].map((name) =>
          row(name, query),
        ),
        row('mcpServerStatus', 'mcp_servers: they start, and mcpServerStatus says so'),
        row('setMaxThinkingTokens', flags),
        row('rewindFiles', together),
        row('Rule: an unknown method is `success: false`', query),
      ],
    },
    {
      heading: 'Callbacks and life',
      rows: [
        row('can_use_tool: allow', asks),
        row(
          'can_use_tool: updated_input',
          edited,
          'Without it, the input stays as it was asked for. The document emptied it.',
        ),
        row(
          'can_use_tool: updated_permissions',
          '[PERM-10] is not asked about a command that only reads, nor about one that it allowed from now on',
        ),
        row('can_use_tool: deny with a message', denies),
        row('can_use_tool: deny without a message', 'a denial gives its reason to the model, or ends the turn as well'),
        row('can_use_tool: deny with interrupt', 'a denial that interrupts ends the turn'),
        row('hook: the answer goes to the program as it is', hooks),
        row(
          'Rule: a callback waits for 5 minutes',
          'is too late after five minutes, and its answer then comes to nobody',
        ),
        row('Rule: a permission without an answer is denied, and the model reads why', late),
        row('Rule: a hook without an answer continues', late),
        row(
          'Rule: an answer to an unknown callback changes nothing',
          'knows no callback that it did not ask, and takes no answer that is none',
          'It is an error message. In the document it is only a line on stderr.',
        ),
        row('Rule: a kill settles open callbacks', kill),
        row('Rule: a kill is not told as an error', kill),
        row(
          'Rule: a second message goes on with the conversation',
          resumed,
          'With the options of the session; in the document it lost all but the callback.',
        ),
        row('Rule: the end of stdin, SIGTERM and SIGINT end all sessions, with exit code 0', ends),
        row('Rule: stdout has messages only', lines),
        row('Rule: one backend has several sessions at once', ends),
        row('Rule: logs go to stderr', 'the owner’s variables reach a program only as far as the policy lets them'),
        row('Rule: a blank line is skipped', 'a blank line is nothing'),
        row('The document’s test client', client),
      ],
    },
  ],
}
