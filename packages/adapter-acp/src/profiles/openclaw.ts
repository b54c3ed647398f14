/**
 * OpenClaw. Left alone it runs every command unasked. Its program for the protocol only stands in front of a gateway: here each
 * session has a gateway of its own, whose configuration is written for it. Of the owner's it has the models and their keys.
 */
import { type KnownTool, readsFile, runsCommand } from '@roundhouse/adapter-kit'
import { asRecord, compact, type Json } from '@roundhouse/adapter-kit/read'
import type { NameCall } from '../translate/calls'
import { kinds } from './generic'
import { unsaidInput } from './naming'
import type { ConfigPlace, Profile } from './profile'

/** A title begins with the name of the tool. A request adds what only the gateway needs. */
const nameCall: NameCall = (call) => {
  const { name, approvalId, host, ...input } = call.rawInput
  const [, titled] = /^(\w+)(:|$)/.exec(call.firstTitle ?? '') ?? []
  return { toolName: titled ?? call.kind, input: Object.keys(input).length > 0 ? input : unsaidInput(call) }
}

const tools: Readonly<Record<string, KnownTool>> = {
  ...kinds,
  exec: runsCommand({
    command: 'command',
    plainWith: ['workdir', 'timeoutSeconds', 'yieldMs', 'background', 'pty'],
  }),
  read: readsFile('path'),
}

/** What of the owner's configuration says which model answers, and with whose key. */
function modelsOf(owners: Json): Json {
  const { models, auth, secrets } = owners
  const { model } = asRecord(asRecord(owners.agents).defaults)
  return { ...compact({ models, auth, secrets }), defaults: compact({ model }) }
}

/**
 * Only a command asks: tools that write or act in other ways do so at once, so they are not there. Reading ends at the folder;
 * where something in it is denied, nothing is read without a command. A text with `/exec security=full` anywhere in it would turn the
 * asking off, so nobody is allowed such words, and they are plain text.
 */
function guardedConfig({ options, workDir, tmpDir, deny, owners, gateway }: ConfigPlace): Json {
  const { defaults, ...taken } = modelsOf(owners)
  const hides = deny?.paths.some((path) => `${path}/`.startsWith(`${workDir}/`)) ?? false
  const reads = hides ? [] : ['read']
  return {
    ...taken,
    gateway: {
      mode: 'local',
      bind: 'loopback',
      port: gateway?.port,
      auth: { mode: 'token', token: gateway?.token },
      controlUi: { enabled: false },
    },
    logging: logsIn(tmpDir),
    update: { checkOnStart: false },
    cron: { enabled: false },
    browser: { enabled: false },
    commands: { allowFrom: { '*': ['nobody'] }, restart: false },
    plugins: { slots: { memory: 'none' } },
    agents: { defaults: { ...asRecord(defaults), workspace: workDir, skipBootstrap: true } },
    tools: {
      allow: options.sandbox === 'read-only' ? reads : ['exec', ...reads],
      ...(deny && deny.tools.length > 0 ? { deny: [...deny.tools] } : {}),
      exec: { mode: 'ask' },
      fs: { workspaceOnly: true },
      elevated: { enabled: false },
    },
  }
}

/** Elsewhere it writes to a folder that all users share, whatever TMPDIR says. */
const logsIn = (tmpDir: string): Json => ({ file: `${tmpDir}/openclaw.log` })

export const openclaw: Profile = {
  name: 'openclaw',
  argv: ['openclaw', 'acp'],
  guard: {
    env: {
      OPENCLAW_NO_RESPAWN: '1',
      OPENCLAW_NO_AUTO_UPDATE: '1',
      OPENCLAW_DISABLE_BONJOUR: '1',
      OPENCLAW_SKIP_CHANNELS: '1',
      // Start-up files of the shell would be read before anybody is asked.
      OPENCLAW_EXEC_SHELL_SNAPSHOT: '0',
      OPENCLAW_HIDE_BANNER: '1',
      OPENCLAW_SUPPRESS_NOTES: '1',
    },
    // They name another gateway, another configuration or another folder.
    without: [
      'OPENCLAW_AGENT_DIR',
      'OPENCLAW_CONFIG_DIR',
      'OPENCLAW_GATEWAY_PASSWORD',
      'OPENCLAW_GATEWAY_PORT',
      'OPENCLAW_GATEWAY_TOKEN',
      'OPENCLAW_GATEWAY_URL',
      'OPENCLAW_HOME',
      'OPENCLAW_INCLUDE_ROOTS',
      'OPENCLAW_PROFILE',
      'OPENCLAW_WORKSPACE_DIR',
    ],
    distrust: {},
    ownersVariables: /^(OPENCLAW_.*|HOME|USERPROFILE|TMPDIR|TMP|TEMP|XDG_.*)$/,
    refusedCommands: {},
    // As plain text, so none is offered.
    hidesCommands: true,
    projectFiles: [{ path: '.openclaw', what: 'plugins and settings' }],
  },
  launch: {
    privateConfig: {
      variable: 'OPENCLAW_CONFIG_PATH',
      owners: { folder: '.openclaw', folderVariable: 'OPENCLAW_STATE_DIR', file: 'openclaw.json' },
      of: guardedConfig,
    },
    companion: {
      label: 'gateway',
      args: ['gateway', 'run'],
      readyPath: '/healthz',
      stateFolder: '.openclaw-roundhouse',
      stateVariable: 'OPENCLAW_STATE_DIR',
      cacheVariable: 'NODE_COMPILE_CACHE',
    },
    needsNode: true,
    startTimeoutMs: 180_000,
  },
  says: { systemPrompt: 'first_prompt' },
  takes: { toolLists: false, folders: false, mcpServers: false },
  history: {
    isProvisional: true,
    resumeWith: (sessionId) => ({ _meta: { sessionKey: `agent:main:acp-bridge:${sessionId}` } }),
  },
  failsSilently: true,
  modes: [{ code: 'ask', label: 'Ask', description: 'Asks before every command', default: true }],
  sandboxes: ['read-only', 'workspace-write'],
  nameCall,
  tools,
  capabilities: {
    supportsPermissions: true,
    supportsToolPlugins: false,
    acceptsImages: true,
    reportsUsage: false,
  },
}

/**
 * The gateway that the owner already runs, which `argv` names by `--url` and `--token-file`. It works where and how its owner set it up, so
 * nobody knows whether it asks. Only where its front writes its log is ours to say.
 */
export const openclawGateway: Profile = {
  ...openclaw,
  name: 'openclaw-gateway',
  guard: { ...openclaw.guard, hidesCommands: false, projectFiles: [] },
  launch: {
    needsNode: true,
    startTimeoutMs: 180_000,
    privateConfig: {
      variable: 'OPENCLAW_CONFIG_PATH',
      of: ({ tmpDir }) => ({ gateway: { mode: 'remote' }, logging: logsIn(tmpDir) }),
    },
  },
  modes: [],
  sandboxes: ['workspace-write'],
  capabilities: { ...openclaw.capabilities, supportsPermissions: false },
}
