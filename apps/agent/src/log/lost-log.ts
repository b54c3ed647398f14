/**
 * Checks a log against what is remembered of it (REB-1). A log that is gone, shorter, or a different one was lost or
 * restored to an older state. The next lease holder gives it a new `logId`, so that the hub compares before it stores
 * anything.
 */
import { randomUUID } from 'node:crypto'

export interface KnownLog {
  logId: string
  /** The last number that was seen on disk. */
  last: number
}

export interface FoundLog {
  logId: string
  head: number
  /** Ids that this log had before it was found lost. */
  formerLogIds: readonly string[]
}

/** `found` is null if there is no log. */
export function isLost(known: KnownLog, found: FoundLog | null): boolean {
  if (known.last === 0) return false
  if (found === null) return true
  if (found.logId === known.logId) return found.head < known.last
  // The loss was found before, and the memory of the log is older than that.
  return !found.formerLogIds.includes(known.logId)
}

/** Names of rows in the log file. This one holds the session's id; a log of an earlier version lacks it. */
export const sessionKey = 'session'
export const formerLogIdsKey = 'formerLogIds'
/** Set until the commands of the lost time are closed: `damaged` if the previous log was set aside, `1` otherwise. */
export const logLostKey = 'logLost'
export const lostByDamage = 'damaged'
/** Everything up to here was pruned (REB-3). Anything else that is missing was lost. */
export const prunedToKey = 'prunedTo'

export function parseFormerLogIds(text: string | null): readonly string[] {
  return text === null ? [] : (JSON.parse(text) as string[])
}

/** Returns its id, or a new one if it is lost or `replaces` a damaged one. It then says so until the lost part is closed. */
export function identityOf(
  found: FoundLog | null,
  known: KnownLog | undefined,
  replaces: boolean,
): { logId: string; meta: Record<string, string> } {
  const lost = known !== undefined && isLost(known, found)
  if (!lost && !replaces) return { logId: found?.logId ?? randomUUID(), meta: {} }
  const former = [...(found ? [...found.formerLogIds, found.logId] : []), ...(lost ? [known.logId] : [])]
  const why = replaces ? lostByDamage : '1'
  return {
    logId: randomUUID(),
    meta: { [formerLogIdsKey]: JSON.stringify([...new Set(former)]), [logLostKey]: why },
  }
}
