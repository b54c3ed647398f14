/**
 * Gemini CLI, and Qwen Code, which began as its fork. They load nothing from a folder that they do not trust. In such a folder they
 * also start no MCP server, not even one that a session brings.
 */
import {
  editsFile,
  fetchesPage,
  type KnownTool,
  readsFile,
  runsCommand,
  searches,
  writesFile,
} from '@roundhouse/adapter-kit'
import { asRecord, isEmpty } from '@roundhouse/adapter-kit/read'
import type { NameCall } from '../translate/calls'
import { emptyTwins } from './gemini-files'
import { askingRules, harmlessCall } from './gemini-rules'
import { kinds } from './generic'
import { diffsOf, nameByKind, unsaidInput } from './naming'
import type { LoadTrap, Profile } from './profile'

/** The id of a call begins with the name of its tool. The call has no input: the title holds a command, the content holds a diff. */
export const nameCall: NameCall = (call) => {
  const toolName = /^(\w+?)__/.exec(call.callId)?.[1] ?? call.kind
  if (!isEmpty(call.rawInput)) return { toolName, input: call.rawInput }
  const { title, details, ...rest } = unsaidInput(call)
  if (toolName === 'run_shell_command') return { toolName, input: { command: title, ...(details ? { details } : {}) } }
  const [change, ...more] = diffsOf(call.content)
  if (change === undefined || more.length > 0)
    return { toolName, input: { title, ...(details ? { details } : {}), ...rest } }
  const { path, oldText, newText } = change
  if (toolName === 'write_file') return { toolName, input: { file_path: path, content: newText, before: oldText } }
  return { toolName, input: { file_path: path, old_string: oldText, new_string: newText } }
}

const tools: Readonly<Record<string, KnownTool>> = {
  run_shell_command: runsCommand({ command: 'command', remark: 'details', plainWith: ['details', 'description'] }),
  read_file: readsFile('file_path'),
  write_file: writesFile({ path: 'file_path', text: 'content' }),
  replace: editsFile({ path: 'file_path', before: 'old_string', after: 'new_string' }),
  edit: editsFile({ path: 'file_path', before: 'old_string', after: 'new_string' }),
  glob: searches('pattern', 'title'),
  grep_search: searches('pattern', 'title'),
  list_directory: searches('path', 'title'),
  web_fetch: fetchesPage('prompt'),
  google_web_search: searches('query', 'title'),
}

const minute = 60_000

/**
 * Gemini CLI names its chat file after the minute in which the conversation began. A load within that minute writes to the same file
 * before it reads the file, and the conversation is lost permanently.
 */
export const minuteTrap: LoadTrap = {
  folder: ['.gemini', 'tmp', '*', 'chats'],
  waitMs(file, sessionId, now) {
    const [, began, id] = /^session-(\d{4}-\d\d-\d\dT\d\d-\d\d)-([0-9a-f]{8})\b/.exec(file) ?? []
    if (began === undefined || !sessionId.startsWith(id ?? ' ')) return 0
    const at = Date.parse(`${began.slice(0, 13)}:${began.slice(14)}:00Z`)
    const left = at + minute - now.getTime()
    return left > 0 && left <= minute ? left : 0
  },
  why: (label) =>
    `${label} loses a conversation that is continued in the same minute of the clock in which it began. It starts when this minute is over.`,
}

export const gemini: Profile = {
  name: 'gemini',
  argv: ['gemini', '--acp'],
  guard: {
    // Without the first variable the program starts a second process of itself, which survives SIGTERM and SIGKILL of the first.
    // Without the second one it runs commands in a terminal, and does not report their output.
    env: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_PTY_INFO: 'child_process' },
    without: ['GEMINI_CLI_TRUST_WORKSPACE'],
    // Stronger than the folders that its owner trusted, and than settings by which every folder is trusted.
    distrust: { GEMINI_CLI_TRUST_WORKSPACE: 'false' },
    ownersVariables: /^(GEMINI_.*|GOOGLE_.*|HOME|USERPROFILE|TMPDIR|TMP|TEMP|XDG_.*)$/,
    // The program runs these at once, without asking: `/extensions install` downloads programs and runs them.
    refusedCommands: { extensions: 'which programs run here', restore: 'files of the folder' },
    projectFiles: [{ path: '.gemini', what: 'settings, hooks and MCP servers' }],
    rules: askingRules,
  },
  says: {
    systemPrompt: 'first_prompt',
    model: { by: 'method', method: 'session/set_model', param: 'modelId' },
    mode: { by: 'method', method: 'session/set_mode', param: 'modeId' },
    args: ({ model }, { rules }) => [
      ...(model === undefined ? [] : ['-m', model]),
      ...(rules === undefined ? [] : ['--admin-policy', rules]),
    ],
  },
  takes: { toolLists: false, folders: false, mcpServers: false },
  history: { isProvisional: true, toldUntil: 'available_commands_update', loadTrap: minuteTrap, emptyTwins },
  // `autoEdit` and `yolo` never ask.
  modes: [
    {
      code: 'default',
      label: 'Ask',
      description: 'Asks before every command and every change of a file',
      default: true,
    },
    { code: 'plan', label: 'Plan', description: 'Reads and makes a plan; changes no file' },
  ],
  sandboxes: ['workspace-write'],
  nameCall,
  harmlessCall,
  tools,
  capabilities: {
    supportsPermissions: true,
    supportsToolPlugins: false,
    acceptsImages: true,
    reportsWindow: false,
  },
}

const { harmlessCall: _ofGemini, ...likeGemini } = gemini

export const qwen: Profile = {
  ...likeGemini,
  name: 'qwen',
  capabilities: { ...gemini.capabilities, reportsWindow: true },
  argv: ['qwen', '--acp'],
  guard: {
    env: { QWEN_CODE_NO_RELAUNCH: 'true' },
    without: [],
    // Where its owner may have trusted the folder. There is no such file.
    distrust: { QWEN_CODE_TRUSTED_FOLDERS_PATH: '/dev/null/none' },
    ownersVariables: /^(QWEN_.*|GEMINI_.*|OPENAI_.*|HOME|USERPROFILE|TMPDIR|TMP|TEMP|XDG_.*)$/,
    refusedCommands: {
      ...gemini.guard.refusedCommands,
      'approval-mode': 'what is asked',
      auth: 'whose login is used',
      hooks: 'which programs run here',
      mcp: 'which programs run here',
      permissions: 'what is asked',
      settings: 'what is asked',
      trust: 'what a repository may bring',
    },
    projectFiles: [{ path: '.qwen', what: 'settings, hooks and MCP servers' }],
  },
  launch: {
    behindLauncher: { launcher: 'cli-entry.js', program: 'cli.js' },
    // It trusts every folder unless it is told to look, and then a repository names tools that run unasked.
    privateConfig: {
      variable: 'QWEN_CODE_SYSTEM_SETTINGS_PATH',
      owners: { path: '/etc/qwen-code/settings.json' },
      of: ({ owners, trustProjectConfig }) =>
        trustProjectConfig
          ? owners
          : { ...owners, security: { ...asRecord(owners.security), folderTrust: { enabled: true } } },
    },
  },
  says: {
    ...gemini.says,
    // By default it runs in the mode `auto`, in which a model approves. A repository can set the mode `yolo`.
    args: ({ model }) => ['--approval-mode', 'default', ...(model === undefined ? [] : ['-m', model])],
  },
  history: { isProvisional: true, toldUntil: 'available_commands_update' },
  // A call has its input, but not the name of its tool.
  nameCall: nameByKind,
  tools: {
    ...kinds,
    execute: runsCommand({
      command: 'command',
      remark: 'description',
      plainWith: ['description', 'directory', 'is_background', 'timeout'],
    }),
  },
}
