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
const limits = 'max_turns and max_budget_usd end a turn'
const prompt = 'system_prompt: a text stands in the place of the program’s own, `append` behind it'
const rewind = 'enable_file_checkpointing: rewindFiles puts files back as they were before a prompt'

export const bridgeContract: ParityDocument = {
  title: 'Node Backend Implementation',
  about: 'The thin backend of JSON lines. It is `roundhouse-agent bridge`; [bridge.md](bridge.md) says how it behaves.',
  sections: [
    {
      heading: 'Messages in',
      rows: [
        ...membersOf('session.create', ['id', 'payload.prompt', 'payload.cwd', 'payload.options'], client),
        ...membersOf(
          'session.send',
          ['id', 'session_id', 'payload.message'],
          '[RES-2] goes on after its program was killed, with all its options',
          'A second message keeps the options of the session; in the document it lost them.',
        ),
        ...membersOf('session.interrupt', ['id', 'session_id', 'payload'], interrupt),
        ...membersOf('session.kill', ['id', 'session_id', 'payload'], kill),
        ...membersOf('callback.response', ['id', 'session_id', 'payload'], asks),
        ...membersOf('query.call', ['id', 'session_id', 'payload.method', 'payload.args'], query),
      ],
    },
    {
      heading: 'Messages out',
      rows: [
        ...membersOf('session.created', ['id', 'session_id', 'payload'], client),
        ...membersOf('session.interrupted', ['id', 'session_id', 'payload'], interrupt),
        ...membersOf('session.killed', ['id', 'session_id', 'payload'], kill),
        row('sdk.message', 'are the very objects that the program printed', 'Claude Code’s own frames.'),
        row(
          'sdk.message, of other programs',
          'begin a turn with system/init and end it with a result that has the last text',
          'The document knows only Claude Code. The same frames are made from typed output.',
        ),
        ...membersOf('callback.request', ['id', 'session_id'], asks),
        ...membersOf('callback.request: can_use_tool', ['tool_name', 'tool_input', 'suggestions'], asks),
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
        ...membersOf('options', ['max_turns', 'max_budget_usd'], limits),
        row('options.max_thinking_tokens', 'max_thinking_tokens: so many may be thought'),
        row(
          'options.include_partial_messages',
          'include_partial_messages: without it no text comes while it is written',
        ),
        row('options.enable_file_checkpointing', rewind),
        row('options.additional_directories', 'additional_directories: their files are read unasked'),
        row('options.mcp_servers', 'mcp_servers: they start, and mcpServerStatus says so'),
        row('options.hooks', hooks),
        row(
          'options.sandbox',
          'sandbox: an object is the program’s own setting, and what is asked about stays asked about',
        ),
        row('options.setting_sources', 'setting_sources: the repository’s settings are loaded where they are named'),
        row('options.output_format', 'output_format: the result has the structure'),
        row('options.fallback_model', 'fallback_model: answers where the model is overloaded'),
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
        row('SDK_ERROR', '[RES-2] goes on after its program was killed, with all its options'),
        row('INTERRUPT_FAILED', 'an interrupt that the program refuses is INTERRUPT_FAILED, with the reason'),
      ],
    },
    {
      heading: 'Queries',
      rows: [
        ...[
          'supportedModels',
          'supportedCommands',
          'mcpServerStatus',
          'accountInfo',
          'setPermissionMode',
          'setMaxThinkingTokens',
        ].map((name) => row(name, query)),
        row('setModel', 'keeps what a query has changed as well'),
        row('rewindFiles', rewind),
        row('Rule: an unknown method is `success: false`', query),
      ],
    },
    {
      heading: 'Callbacks and life',
      rows: [
        row('can_use_tool: allow', asks),
        row(
          'can_use_tool: updated_input',
          '[LOG-9] an edited input runs letter for letter: nothing in it is taken for a secret on its way',
          'Without it, the input stays as it was asked for. The document emptied it.',
        ),
        row(
          'can_use_tool: updated_permissions',
          '[PERM-10] is not asked about a command that only reads, nor about one that it allowed from now on',
        ),
        row('can_use_tool: deny with a message', denies),
        row('can_use_tool: deny with interrupt', 'a denial that interrupts ends the turn'),
        row('Rule: after 5 minutes a permission is denied', late),
        row('Rule: after 5 minutes a hook continues', late),
        row(
          'Rule: an answer to an unknown callback changes nothing',
          'knows no callback that it did not ask, and takes no answer that is none',
        ),
        row('Rule: a kill settles open callbacks', kill),
        row(
          'Rule: the end of stdin, SIGTERM and SIGINT end all sessions',
          '[RES-6] by %s every session ends, and no process is left',
        ),
        row(
          'Rule: stdout has messages only, logs go to stderr',
          'every line on stdout is a message, and nothing of a session is left in the agent’s state',
        ),
        row('Rule: a blank line is skipped', 'a blank line is nothing'),
        row('The document’s test client', client),
      ],
    },
  ],
}
