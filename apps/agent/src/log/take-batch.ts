/** How much of what waits goes into one commit: at least one entry, then as many as have no more events together. */
export function takeBatch<Entry extends { events: readonly unknown[] }>(
  pending: readonly Entry[],
  mostEvents: number,
): Entry[] {
  let events = 0
  const over = pending.findIndex((entry, index) => {
    events += entry.events.length
    return index > 0 && events > mostEvents
  })
  return over < 0 ? [...pending] : pending.slice(0, over)
}
