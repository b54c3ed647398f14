/**
 * At the daemon's start the index may be older than the logs: hosts went on writing while no daemon ran. Only logs whose
 * file changed since are opened (STORE-3). It may also remember more than is there.
 */
import type { NewsBox } from './news-box'
import { isLostHere, rereadLog } from './reread-log'
import type { SessionIndex } from './session-index'
import type { SessionLogs } from './session-logs'

/** Answers per session that are told to the hub again. */
const RECENT_ANSWERS = 20

/** Returns the sessions whose log is lost: gone, or put back to an older state (REB-1). */
export function refreshIndex(
  index: SessionIndex,
  logs: SessionLogs,
  sessionIds: readonly string[],
  news: NewsBox,
): string[] {
  const remembered = index.all().map(({ sessionId }) => sessionId)
  const lost: string[] = []
  for (const sessionId of new Set([...remembered, ...sessionIds])) {
    const stamp = logs.stamp(sessionId)
    if (stamp !== 0 && index.get(sessionId)?.stamp === stamp) continue
    if (isLostHere(index, logs, sessionId)) lost.push(sessionId)
    else if (!sessionIds.includes(sessionId)) index.remove(sessionId)
    else tellAgain(index, logs, sessionId, news)
    logs.forget(sessionId)
  }
  return lost
}

function tellAgain(index: SessionIndex, logs: SessionLogs, sessionId: string, news: NewsBox): void {
  const reader = logs.reader(sessionId)
  if (!reader) return
  rereadLog(index, logs, sessionId, reader)
  for (const { commandId, answer } of reader.recentAnswers(RECENT_ANSWERS)) {
    if (answer.state !== 'accepted') news.add(sessionId, commandId, answer)
  }
}
