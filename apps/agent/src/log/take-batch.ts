/** How many waiting entries go into one commit: at least one, then as many as fit within the event limit. */
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
