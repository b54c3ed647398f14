/** What one connection is known by. */
import type { Welcome } from '@roundhouse/backend-types'
import type { MachineClock } from './clock'
import type { Sender } from './ingest'
import type { AgentLink } from './link-ports'
import type { ServedSessions } from './served-sessions'

export interface LinkFacts extends Sender {
  clock: MachineClock
  link: AgentLink
  welcome: Welcome
  served: ServedSessions
}
