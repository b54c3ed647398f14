/**
 * OpenCode. Left alone it runs every shell command unasked, and starts what a repository configures (its MCP servers, its
 * plugins). Permissions of the environment stand above every file.
 */
import {
  editsFile,
  fetchesPage,
  readsFile,
  runsCommand,
  searches,
  startsSubAgent,
  writesFile,
} from '@roundhouse/adapter-kit'
import type { SpawnOptions } from '@roundhouse/backend-types'
import type { NameCall } from '../translate/calls'
import { isEmpty } from '../wire/read'
import { unsaidInput } from './naming'
import type { Profile } from './profile'

/** Its first title is the name of the tool; later ones say what the call does. */
const nameCall: NameCall = (call) => ({
  toolName: call.firstTitle ?? call.kind,
  input: isEmpty(call.rawInput) ? unsaidInput(call) : call.rawInput,
})

type Permissions = Record<string, 'ask' | 'allow' | 'deny' | Record<string, 'ask' | 'allow' | 'deny'>>

/** Of several that match the last one holds, so the star is first. */
const guarded: Permissions = {
  '*': 'ask',
  read: 'allow',
  glob: 'allow',
  grep: 'allow',
  list: 'allow',
  lsp: 'allow',
  todowrite: 'allow',
  todoread: 'allow',
  edit: 'ask',
  bash: 'ask',
  task: 'ask',
  skill: 'ask',
  webfetch: 'ask',
  websearch: 'ask',
  external_directory: 'ask',
  doom_loop: 'ask',
}
const readOnly: Permissions = { edit: 'deny', bash: 'deny', task: 'deny' }

/** Tools that write have one permission. */
const keyOf = (tool: string): string =>
  ['write', 'edit', 'patch', 'multiedit', 'apply_patch'].includes(tool) ? 'edit' : tool

export function permissionsOf(options: SpawnOptions): Permissions {
  const { allowedTools = [], disallowedTools = [], additionalDirs = [], sandbox } = options
  const tools = (list: readonly string[], word: 'allow' | 'deny') =>
    Object.fromEntries(list.map((tool) => [keyOf(tool), word]))
  const folders = Object.fromEntries(additionalDirs.map((folder) => [`${folder}/*`, 'allow' as const]))
  return {
    ...guarded,
    ...(additionalDirs.length > 0 ? { external_directory: { '*': 'ask' as const, ...folders } } : {}),
    ...tools(allowedTools, 'allow'),
    ...(sandbox === 'read-only' ? readOnly : {}),
    ...tools(disallowedTools, 'deny'),
  }
}

export const opencode: Profile = {
  name: 'opencode',
  argv: ['opencode', 'acp'],
  guard: {
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    without: ['OPENCODE_PERMISSION', 'OPENCODE_CONFIG_CONTENT'],
    distrust: { OPENCODE_DISABLE_PROJECT_CONFIG: '1' },
    ownersVariables: /^(OPENCODE_.*|HOME|USERPROFILE|TMPDIR|TMP|TEMP|XDG_.*)$/,
    projectFiles: [
      { path: 'opencode.json', what: 'configuration and MCP servers' },
      { path: 'opencode.jsonc', what: 'configuration and MCP servers' },
      { path: '.opencode', what: 'agents, commands and plugins' },
    ],
  },
  says: {
    systemPrompt: 'file',
    model: { by: 'config_option', id: 'model' },
    mode: { by: 'config_option', id: 'mode' },
    env: (options, instructions) => ({
      OPENCODE_PERMISSION: JSON.stringify(permissionsOf(options)),
      ...(options.maxOutputTokens !== undefined && {
        OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX: String(options.maxOutputTokens),
      }),
      ...(instructions !== undefined && { OPENCODE_CONFIG_CONTENT: JSON.stringify({ instructions: [instructions] }) }),
    }),
  },
  takes: { toolLists: true, folders: true, mcpServers: true },
  history: { isProvisional: false, terminalResume: 'opencode --session {id}' },
  modes: [
    {
      code: 'build',
      label: 'Build',
      description: 'Asks before every command and every change of a file',
      default: true,
    },
    { code: 'plan', label: 'Plan', description: 'Reads and makes a plan; a change of a file is asked about' },
  ],
  sandboxes: ['read-only', 'workspace-write'],
  nameCall,
  tools: {
    bash: runsCommand({ command: 'command', remark: 'description', plainWith: ['description', 'cwd', 'timeout'] }),
    read: readsFile('filePath'),
    write: writesFile({ path: 'filePath', text: 'content' }),
    edit: editsFile({ path: 'filePath', before: 'oldString', after: 'newString', everywhere: 'replaceAll' }),
    glob: searches('pattern'),
    grep: searches('pattern'),
    webfetch: fetchesPage('url'),
    websearch: searches('query'),
    task: startsSubAgent('prompt', 'description'),
  },
  capabilities: {
    supportsPermissions: true,
    acceptsAllowedToolsList: true,
    acceptsImages: true,
    limitsOutput: true,
    reportsCost: true,
  },
}
