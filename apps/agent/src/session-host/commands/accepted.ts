import type { SessionEvent } from '@roundhouse/backend-types'
import type { InboxState } from '../../log/rows'
import type { LogChange } from '../../log/statements'

/** The effect of accepting a command. `change` is written together with its row; `run`, if present, follows. */
export interface Accepted {
  events?: SessionEvent[]
  change?: LogChange
  state?: InboxState
  run?(): Promise<void>
}
