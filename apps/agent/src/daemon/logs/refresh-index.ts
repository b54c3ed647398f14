/**
 * Updates the index at the daemon's start. Hosts kept writing while no daemon ran, so the index may be older than the logs.
 * Only logs whose file changed are opened (STORE-3). The index may also remember more than a log still has.
 */
import { Id } from '@roundhouse/backend-types'
import type { NewsOutbox } from './news-outbox'
import { isLostHere, RECENT_ANSWERS, rereadLog } from './reread-log'
import type { SessionIndex } from './session-index'
import type { SessionLogs } from './session-logs'

/** Returns the sessions whose log is lost: deleted, or restored to an older state (REB-1). */
export function refreshIndex(
  index: SessionIndex,
  logs: SessionLogs,
  sessionIds: readonly string[],
  news: NewsOutbox,
  told: (line: string) => void,
): string[] {
  const remembered = index.all().map(({ sessionId }) => sessionId)
  for (const sessionId of remembered) if (!Id.safeParse(sessionId).success) index.remove(sessionId)
  const onDisk = new Set(sessionIds)
  const isLost = (sessionId: string) => {
    if (logs.noticeMark(sessionId)) return false
    const stamp = logs.stamp(sessionId)
    if (stamp !== 0 && index.get(sessionId)?.stamp === stamp) return false
    const lost = isLostHere(index, logs, sessionId)
    if (!lost && !onDisk.has(sessionId)) index.remove(sessionId)
    if (!lost && onDisk.has(sessionId)) tellAgain(index, logs, sessionId, news)
    logs.forget(sessionId)
    return lost
  }
  return [...new Set([...remembered, ...sessionIds])].filter((sessionId) => {
    try {
      return Id.safeParse(sessionId).success && isLost(sessionId)
    } catch (error) {
      // An unreadable folder affects no other session. Work that needs this session reports the error.
      told(`${sessionId}: its folder cannot be read now: ${String(error)}`)
      return false
    }
  })
}

function tellAgain(index: SessionIndex, logs: SessionLogs, sessionId: string, news: NewsOutbox): void {
  if (!rereadLog(index, logs, sessionId)) return
  const answers = logs.ask(sessionId, (log) => log.recentAnswers(RECENT_ANSWERS)) ?? []
  for (const { commandId, answer } of answers) {
    if (answer.state !== 'accepted') news.add(sessionId, commandId, answer)
  }
}
