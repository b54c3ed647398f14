/**
 * OpenCode. By default it runs every shell command without asking, and starts the MCP servers and plugins that a repository
 * configures. Permissions in the environment override every configuration file.
 */
import { dirname, relative } from 'node:path'
import {
  editsFile,
  fetchesPage,
  readsFile,
  runsCommand,
  searches,
  startsSubAgent,
  writesFile,
} from '@roundhouse/adapter-kit'
import { isEmpty } from '@roundhouse/adapter-kit/read'
import { type AdapterContext, mcpToolName, OWN_SERVER, ownTools, type SpawnOptions } from '@roundhouse/backend-types'
import type { NameCall } from '../translate/calls'
import { unsaidInput } from './naming'
import { harmlessCall } from './opencode-looks'
import type { Profile } from './profile'

/** It joins server and tool by one sign, so only tools of the session host's own server can be told: no other server has a name like it. */
const ownNames = new Map(ownTools.map((tool) => [`${OWN_SERVER}_${tool}`, mcpToolName(OWN_SERVER, tool)]))

/** The first title of a call is the name of its tool. Later titles describe the call. */
const nameCall: NameCall = (call) => ({
  toolName: ownNames.get(call.firstTitle ?? '') ?? call.firstTitle ?? call.kind,
  input: isEmpty(call.rawInput) ? unsaidInput(call) : call.rawInput,
})

type Word = 'ask' | 'allow' | 'deny'
type Permissions = Record<string, Word | Record<string, Word>>

/** The last matching entry wins, so the star comes first. */
const guarded: Permissions = {
  '*': 'ask',
  // A name may lead out of the folder by a link, which only the host follows.
  read: 'ask',
  glob: 'ask',
  grep: 'ask',
  list: 'ask',
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

function permissionsOf(options: SpawnOptions, deny: AdapterContext['deny'] = { tools: [], paths: [] }): Permissions {
  const { allowedTools = [], disallowedTools = [], additionalDirs = [], sandbox, workDir } = options
  const tools = (list: readonly string[], word: Word) => Object.fromEntries(list.map((tool) => [keyOf(tool), word]))
  const folders = Object.fromEntries(additionalDirs.map((folder) => [`${folder}/*`, 'allow' as const]))
  const denied = deniedPatterns(deny.paths, workDir)
  return {
    ...guarded,
    ...(denied && { read: { '*': 'ask', ...denied }, edit: { '*': 'ask', ...denied } }),
    ...(additionalDirs.length > 0 ? { external_directory: { '*': 'ask', ...folders } } : {}),
    ...tools(allowedTools, 'allow'),
    ...(sandbox === 'read-only' ? readOnly : {}),
    ...tools(disallowedTools, 'deny'),
    ...tools(deny.tools, 'deny'),
  }
}

/**
 * Patterns for the denied places in the session's folder. OpenCode asks about each file outside of it. It names a file by its path
 * below the root of the repository. That root can be any folder above, or `/` if there is no repository.
 */
function deniedPatterns(paths: readonly string[], workDir = '/'): Record<string, Word> | undefined {
  const inside = paths.filter((path) => path.startsWith(workDir === '/' ? workDir : `${workDir}/`))
  if (inside.length === 0) return undefined
  const roots = [workDir]
  for (let at = workDir; at !== dirname(at); at = dirname(at)) roots.push(dirname(at))
  const names = inside.flatMap((path) => [path, ...roots.map((root) => relative(root, path))])
  return Object.fromEntries(names.flatMap((name) => [name, `${name}/*`]).map((pattern) => [pattern, 'deny' as const]))
}

export const opencode: Profile = {
  name: 'opencode',
  argv: ['opencode', 'acp'],
  guard: {
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    without: ['OPENCODE_PERMISSION', 'OPENCODE_CONFIG_CONTENT'],
    distrust: { OPENCODE_DISABLE_PROJECT_CONFIG: '1' },
    ownersVariables: /^(OPENCODE_.*|HOME|USERPROFILE|TMPDIR|TMP|TEMP|XDG_.*)$/,
    // Its own (`/init`, `/review`) are prompts to the model.
    refusedCommands: {},
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
    env: (options, { instructions, deny }) => ({
      OPENCODE_PERMISSION: JSON.stringify(permissionsOf(options, deny)),
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
  harmlessCall,
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
    acceptsImages: true,
    limitsOutput: true,
    reportsCost: true,
  },
}
