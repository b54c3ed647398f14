/** Receives the messages of a session's host. */
import type { HostState } from '@roundhouse/backend-types'
import type { HostedSessionPorts } from './hosted-session-ports'
import type { HostListener } from './reach-host'

export function hostListener(
  sessionId: string,
  ports: Pick<HostedSessionPorts, 'head' | 'live' | 'news' | 'log'>,
  state: (state: HostState) => void,
  gone: HostListener['gone'],
): HostListener {
  return {
    head: (client, head) => ports.head(sessionId, client.hello.logId, head),
    state,
    live: (frames) => ports.live(frames),
    news: (commandId, answer) => ports.news(sessionId, commandId, answer),
    unreadable: (problem) => ports.log(`${sessionId}: MALFORMED_FRAME from its session host: ${problem}`),
    gone,
  }
}
