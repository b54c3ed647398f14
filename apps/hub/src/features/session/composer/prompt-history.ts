/** Earlier prompts of this hub's people in the session, the newest first, each text once (VIEW-8). Pure. */
import type { SeenEvent } from '@roundhouse/hub-client'

const MOST = 100

export function promptHistory(events: readonly SeenEvent[]): string[] {
  const texts = new Set<string>()
  for (let at = events.length - 1; at >= 0 && texts.size < MOST; at--) {
    const { event, doneBy } = events[at] ?? {}
    if (event?.kind === 'user_message' && doneBy && typeof event.text === 'string' && event.text) texts.add(event.text)
  }
  return [...texts]
}

export interface HistoryStep {
  /** The position in the history; -1: the person's own draft. */
  index: number
  text: string
}

/** `up` moves to an earlier text. `null` if there is none: the key then keeps its meaning. */
export function historyStep(
  history: readonly string[],
  at: HistoryStep,
  written: string,
  up: boolean,
): HistoryStep | null {
  const index = at.index + (up ? 1 : -1)
  if (index < -1 || index >= history.length) return null
  return { index, text: index === -1 ? written : (history[index] ?? '') }
}
