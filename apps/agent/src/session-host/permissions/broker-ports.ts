/** What the permission broker needs of its session. */
import type { PermissionDecision } from '@roundhouse/backend-types'
import type { HostPolicy } from '../../host-contract/launch-spec'
import type { LogChange } from '../../log/statements'
import type { Redactor } from '../../redact/redactor'
import type { Journal } from '../journal/journal'
import type { Grants } from './grants'

export interface BrokerPorts {
  journal: Journal
  grants: Grants
  redact: Redactor
  digestKey: Buffer
  now(): number
  /** In ms, of a clock that nobody sets: the usual one where absent. */
  elapsed?(): number
  newId(): string
  policy(): HostPolicy
  /** Real path of the session's work folder. */
  workDir(): string
  /** Real paths of the folders that the session may use. */
  folders(): readonly string[]
  turnId(): string | undefined
  /** Sends a decision to the running backend. Rejects if the backend is gone. */
  respond(decision: PermissionDecision): Promise<void>
  /** Says something into the running turn; false where the backend cannot. */
  steer(text: string): Promise<boolean>
  /** The session goes on in this mode: what tells of it goes into the log with the outcome, then the backend hears it. */
  changeMode(mode: string): { change: LogChange; tell(): void }
  changed(): void
}
