/**
 * One read of the table in each turn of the event loop, for all who ask for the same place before it begins. Whoever reads the whole
 * table, a subscriber that comes back from far behind or a caller that looks for something, keeps nobody waiting meanwhile.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** `read` is asked anew each time: what it gives is shared and not kept, since a message may be erased. */
export function sharedReads<T>(read: (after: number) => Promise<T>): (after: number) => Promise<T> {
  const asked = new Map<number, Promise<T>>()
  let turn: Promise<unknown> = Promise.resolve()
  return (after) => {
    const known = asked.get(after)
    if (known) return known
    const given = turn.then(() => {
      asked.delete(after)
      return read(after)
    })
    asked.set(after, given)
    turn = given.then(nextTurn, nextTurn)
    return given
  }
}
