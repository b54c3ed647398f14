/**
 * At the daemon's start the index may be older than the logs: hosts went on writing while no daemon ran. Only logs whose
 * file changed since are opened (STORE-3).
 */
import type { NewsBox } from './news-box'
import type { SessionIndex } from './session-index'
import type { SessionLogs } from './session-logs'

/** Answers per session that are told to the hub again. */
const RECENT_ANSWERS = 20

export function refreshIndex(
  index: SessionIndex,
  logs: SessionLogs,
  sessionIds: readonly string[],
  news: NewsBox,
): void {
  const present = new Set(sessionIds)
  for (const { sessionId } of index.all()) if (!present.has(sessionId)) index.remove(sessionId)
  for (const sessionId of sessionIds) {
    const stamp = logs.stamp(sessionId)
    if (stamp === 0 || index.get(sessionId)?.stamp === stamp) continue
    const reader = logs.reader(sessionId)
    if (!reader) continue
    index.put(sessionId, { logId: reader.logId(), last: reader.head(), changed: true, stamp })
    for (const { commandId, answer } of reader.recentAnswers(RECENT_ANSWERS)) {
      if (answer.state !== 'accepted') news.add(sessionId, commandId, answer)
    }
    logs.forget(sessionId)
  }
}
