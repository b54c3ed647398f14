/** What the daemon before this one left: its index is compared with the logs, and its hosts are taken over. */
import { setTimeout as delay } from 'node:timers/promises'
import type { LogLine } from '../files/log-line'
import type { Supervisor } from './hosts/supervisor'
import type { NewsOutbox } from './logs/news-outbox'
import { refreshIndex } from './logs/refresh-index'
import type { SessionIndex } from './logs/session-index'
import type { SessionLogs } from './logs/session-logs'

/** By then most sessions are taken over. */
const PATIENCE_MS = 3_000

/** Returns how many sessions keep running under this daemon. */
export async function takeOver(
  index: SessionIndex,
  logs: SessionLogs,
  supervisor: Supervisor,
  news: NewsOutbox,
  log: LogLine,
): Promise<number> {
  const lost = refreshIndex(index, logs, supervisor.sessionIds(), news, log)
  for (const sessionId of lost)
    log(`${sessionId}: its log is missing, shorter than before, or not a log; continuing with a new one`)
  const adopted = supervisor.adoptAll(lost)
  // Sessions that take longer are reported when they are settled (LINK-2); the others do not wait for them.
  await Promise.race([adopted, delay(PATIENCE_MS, undefined, { ref: false })])
  return supervisor.all().filter((hosted) => hosted.attached !== null).length
}
