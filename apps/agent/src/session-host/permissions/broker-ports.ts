/** What the permission broker needs of its session. */
import type { PermissionConfig, PermissionDecision } from '@roundhouse/backend-types'
import type { HostPolicy } from '../../host-contract/launch-spec'
import type { LogChange } from '../../log/statements'
import type { Redactor } from '../../redact/redactor'
import type { Journal } from '../journal/journal'
import type { FolderRules } from './folder-rules'
import type { Grants } from './grants'

/** What the settings of the session say about its requests. */
export interface AskingSession {
  /** Real path of its work folder. */
  workDir(): string
  /** Real paths of the folders that it may use. */
  folders(): readonly string[]
  /** Its rules (PERM-12). */
  rules(): PermissionConfig | undefined
  /** It may only read. */
  readsOnly(): boolean
  /** A tool of the session host itself, by its exact name: nobody is asked about it. */
  isOwnTool(toolName: string): boolean
}

export interface BrokerPorts {
  journal: Journal
  grants: Grants
  folderRules: FolderRules
  redact: Redactor
  digestKey: Buffer
  now(): number
  /** Ms of a monotonic clock. Absent: the usual one. */
  elapsed?(): number
  newId(): string
  policy(): HostPolicy
  session: AskingSession
  turnId(): string | undefined
  /** Sends a decision to the running backend. Rejects if the backend is gone. */
  respond(decision: PermissionDecision): Promise<void>
  /** Adds text to the running turn. Returns false if the backend cannot. */
  steer(text: string): Promise<boolean>
  /** Sets the session's mode. `change` goes into the log with the outcome; then `tell` informs the backend. */
  changeMode(mode: string): { change: LogChange; tell(): void }
  changed(): void
}
