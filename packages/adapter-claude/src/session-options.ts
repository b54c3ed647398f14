/** What a running Claude Code is started with. */
import type { ChildCommand } from '@roundhouse/adapter-kit'
import type { BackendOutput, CodedError, DirectCaller, Sandbox } from '@roundhouse/backend-types'
import type { CommandRules } from './program/own-rules'
import type { ProviderConfig } from './program/provider-config'
import type { StoredTask } from './translate/stored-tasks'

export interface SessionOptions {
  command: ChildCommand
  backendSessionId: string
  resumed: boolean
  storedTasks?: readonly StoredTask[]
  systemPrompt: string | undefined
  config?: ProviderConfig
  /** What the repository configures and the policy leaves out: told first. */
  leftOut?: BackendOutput | null
  maxOutputTokens: number | undefined
  mode: string
  sandbox: Sandbox
  ownRules: CommandRules
  /** Why a prompt is not given to the program. */
  refuse?(text: string): CodedError | null
  limits: Limits
  /** Also hand over the frames that were translated, as `raw`. */
  rawFrames: boolean
  /** Answers the hooks of `config`, and gets what the program suggests. */
  direct?: DirectCaller | undefined
}

export interface Limits {
  startMs: number
  /** For the answer to a control request. */
  requestMs: number
  /** For a turn to end after an interrupt, before the process is told by signal. */
  interruptMs: number
}
