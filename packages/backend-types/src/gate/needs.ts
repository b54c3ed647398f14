/**
 * Which capability a session setting, a command or a query needs. One table for the hub, the session host and the page. `null`:
 * every program can do it, or it is ours.
 */
import type { AcceptedValues } from '../adapter/accepted-values'
import type { Capability } from '../adapter/capabilities'
import type { QueryMethod } from '../adapter/queries'
import type { SpawnOptions } from '../adapter/spawn-options'
import type { CommandKind, CommandOf } from '../session/commands'
import type { SessionSettings } from '../session/session-settings'

export interface SettingNeed {
  capability?: Capability
  /** The program must answer this query: it is set the same way. */
  query?: QueryMethod
  /** Its value must be in this list, where the program tells the list. */
  listed?: keyof AcceptedValues
}

export const settingNeeds: Readonly<Record<keyof SessionSettings, SettingNeed | null>> = {
  backend: null,
  workDir: null,
  model: { listed: 'models' },
  mode: { listed: 'modes' },
  sandbox: { listed: 'sandboxes' },
  thinking: { capability: 'reasoning_effort', listed: 'thinking' },
  maxThinkingTokens: { query: 'setMaxThinkingTokens' },
  // Where a program has no place for it, its adapter puts it in front of the first prompt.
  systemPrompt: null,
  // The host puts the notes into the system prompt.
  roleId: null,
  useBrainCore: null,
  additionalDirs: { capability: 'folders' },
  allowedTools: { capability: 'accepts_allowed_tools_list' },
  disallowedTools: { capability: 'accepts_allowed_tools_list' },
  mcpConfigPath: { capability: 'accepts_mcp_server_spec' },
  // The host holds these rules against what the program asks. One that does not ask would pass over a denial.
  permissionConfig: { capability: 'permission_config' },
  // Never refused: the ladder sets it by itself, and where a program has no such setting it still serves the warning.
  maxOutputTokens: null,
  // Which variables a session may set is the policy's decision.
  env: null,
  autoResume: { capability: 'session_resume' },
}

/** Of the other options of a spawn. */
export const spawnNeeds: Readonly<Record<Exclude<keyof SpawnOptions, keyof SessionSettings>, Capability | null>> = {
  sessionId: null,
  resumeId: 'session_resume',
  // Only an adapter that mints ids gets one.
  newSessionId: null,
  mcpServers: 'accepts_mcp_server_spec',
  initialUserInput: null,
  // Its model and mode are judged as the settings of that name.
  turnOverride: null,
  // Each adapter refuses the names that it does not know.
  providerConfig: null,
}

export const commandNeeds: Readonly<Record<CommandKind, Capability | { query: QueryMethod } | null>> = {
  // What its settings need.
  'session.create': null,
  // Unless it begins a fresh conversation.
  'session.resume': 'session_resume',
  // What its changes need.
  'session.configure': null,
  'session.stop': null,
  'session.delete': null,
  // What its parts need.
  'prompt.send': null,
  'queue.edit': null,
  'queue.remove': null,
  'queue.move': null,
  'queue.release': null,
  'turn.interrupt': 'interrupt',
  'program.tell': null,
  'tool.answer': null,
  // Each task says itself whether it can be stopped (`canStop`).
  'task.stop': null,
  // Each request says itself what a decision may bring.
  'permission.decide': null,
  'grant.revoke': null,
  'files.rewind': { query: 'rewindFiles' },
  'process.end': null,
  'event.blank': null,
}

/** Of the parts of a prompt. Its `override` needs what the settings of the same names need. */
export const promptNeeds: Readonly<
  Record<keyof Pick<CommandOf<'prompt.send'>, 'steer' | 'images'> | 'imagesAlone', Capability>
> = {
  steer: 'message_injection',
  images: 'images',
  imagesAlone: 'images_alone',
}

/** Besides being one of the program's `queries`. `setting`: what the setting of that name needs. */
export interface QueryNeed {
  capability?: Capability
  setting?: 'model' | 'mode'
}

export const queryNeeds: Readonly<Record<QueryMethod, QueryNeed | null>> = {
  supportedModels: null,
  supportedCommands: null,
  mcpServerStatus: null,
  accountInfo: null,
  setModel: { setting: 'model' },
  setPermissionMode: { setting: 'mode' },
  setMaxThinkingTokens: { capability: 'reasoning_effort' },
  rewindFiles: null,
}
