/**
 * The host's queue of accepted prompts (CMD-5). An entry leaves it by being started or by a person's word; after a turn
 * that did not end `completed` it is held until a person sends, releases or clears. Changes compare and set the entry's
 * `rev`; what a person wrote is never lost to a race, the answer says what happened instead.
 */
import type { QueueEntry, TurnEnd } from '@roundhouse/backend-types'

export interface PromptQueue {
  readonly entries: readonly QueueEntry[]
  readonly held: boolean
}

export type QueueAnswer = 'ok' | 'already_started' | 'rev_changed'

export interface QueueChange {
  queue: PromptQueue
  answer: QueueAnswer
}

export function emptyQueue(): PromptQueue {
  return { entries: [], held: false }
}

export function enqueue(queue: PromptQueue, entry: QueueEntry): PromptQueue {
  if (queue.entries.some(({ promptId }) => promptId === entry.promptId)) return queue
  return { entries: [...queue.entries, entry], held: false }
}

export function edit(queue: PromptQueue, promptId: string, rev: number, text: string): QueueChange {
  return change(queue, promptId, rev, (entry, entries) =>
    entries.map((other) => (other === entry ? { ...entry, text, rev: rev + 1 } : other)),
  )
}

export function remove(queue: PromptQueue, promptId: string, rev: number): QueueChange {
  return change(queue, promptId, rev, (entry, entries) => entries.filter((other) => other !== entry))
}

/** An index beyond the end means the end. */
export function move(queue: PromptQueue, promptId: string, rev: number, toIndex: number): QueueChange {
  return change(queue, promptId, rev, (entry, entries) => {
    const others = entries.filter((other) => other !== entry)
    return [...others.slice(0, toIndex), { ...entry, rev: rev + 1 }, ...others.slice(toIndex)]
  })
}

export function release(queue: PromptQueue): PromptQueue {
  return { ...queue, held: false }
}

/** The next prompt to start; null while held or empty. Asked only when no turn runs. */
export function takeNext(queue: PromptQueue): { queue: PromptQueue; entry: QueueEntry | null } {
  const [entry, ...entries] = queue.entries
  return queue.held || !entry ? { queue, entry: null } : { queue: { ...queue, entries }, entry }
}

export function turnEnded(queue: PromptQueue, reason: TurnEnd): PromptQueue {
  return reason === 'completed' || queue.entries.length === 0 ? queue : { ...queue, held: true }
}

function change(
  queue: PromptQueue,
  promptId: string,
  rev: number,
  apply: (entry: QueueEntry, entries: readonly QueueEntry[]) => readonly QueueEntry[],
): QueueChange {
  const entry = queue.entries.find((other) => other.promptId === promptId)
  if (!entry) return { queue, answer: 'already_started' }
  if (entry.rev !== rev) return { queue, answer: 'rev_changed' }
  const entries = apply(entry, queue.entries)
  return { queue: { entries, held: queue.held && entries.length > 0 }, answer: 'ok' }
}
