/** Hears for a session what its host says. */
import type { HostState } from '@roundhouse/backend-types'
import type { HostEars } from './reach-host'
import type { SlotPorts } from './slot-ports'

export function hostEars(
  sessionId: string,
  ports: Pick<SlotPorts, 'head' | 'live' | 'news' | 'log'>,
  state: (state: HostState) => void,
  gone: HostEars['gone'],
): HostEars {
  return {
    head: (client, head) => ports.head(sessionId, client.hello.logId, head),
    state,
    live: (frames) => ports.live(frames),
    news: (commandId, answer) => ports.news(sessionId, commandId, answer),
    unreadable: (problem) => ports.log(`${sessionId}: MALFORMED_FRAME from its session host: ${problem}`),
    gone,
  }
}
