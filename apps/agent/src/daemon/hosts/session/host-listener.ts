/** Receives the messages of a session's host. */
import type { HostState } from '@roundhouse/backend-types'
import type { HostedSessionPorts } from './hosted-session-ports'
import type { HostListener } from './reach-host'

export function hostListener(
  sessionId: string,
  { records, reports }: Pick<HostedSessionPorts, 'records' | 'reports'>,
  state: (state: HostState) => void,
  gone: HostListener['gone'],
): HostListener {
  return {
    head: (client, head) => records.head(sessionId, client.hello.logId, head),
    state,
    live: (frames) => reports.live(frames),
    news: (commandId, answer) => reports.news(sessionId, commandId, answer),
    unreadable: (problem) => reports.log(`${sessionId}: MALFORMED_FRAME from its session host: ${problem}`),
    gone,
  }
}
