/** Earlier prompts of people of this hub in the session, the latest first, each text once (VIEW-8). Pure. */
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
  /** Which text of the history is shown; -1: what the person was writing. */
  index: number
  text: string
}

/** `up`: to an earlier text. `null` where there is none: the key keeps its meaning. */
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
