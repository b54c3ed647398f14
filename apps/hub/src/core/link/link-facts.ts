/** What identifies one connection. */
import type { Welcome } from '@roundhouse/backend-types'
import type { MachineClock } from '../common/clock'
import type { Sender } from '../ingest/ingest'
import type { AgentLink } from '../machines/link-ports'
import type { ServedSessions } from '../machines/served-sessions'

export interface LinkFacts extends Sender {
  clock: MachineClock
  link: AgentLink
  welcome: Welcome
  served: ServedSessions
  /** Sessions whose accounts list requests that have no room (BAD-4). */
  crowded: Set<string>
}
