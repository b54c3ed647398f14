/** What the supervisor of hosts tells the daemon. */
import type { CommandAnswer, HostState, LiveFrame } from '@roundhouse/backend-types'

export interface SupervisorEvents {
  head(sessionId: string, head: number): void
  /** The log of this session was lost, and goes on as another one. */
  newLog(sessionId: string): void
  state(state: HostState): void
  /** A host that died was closed, and left its session in this state. */
  closed(state: HostState): void
  /** Nothing of it is left on this machine. */
  erased(sessionId: string): void
  live(frames: LiveFrame[]): void
  news(sessionId: string, commandId: string, answer: CommandAnswer): void
  changed(): void
  log(line: string): void
}
