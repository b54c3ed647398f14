/**
 * Limits what refusals store (BUS-5): of each kind, a peer's first ones in a minute are told one by one. The others are counted, and
 * told as one message when the minute is over. So nobody fills the table with messages that were not taken.
 */
import { randomUUID } from 'node:crypto'
import type { NewBusRow } from '../ports/bus-store'
import { iso } from './bus-messages'

export const WINDOW_MS = 60_000
export const TOLD_PER_WINDOW = 20
/** Peers and kinds that are counted at once. Of further ones the bus hears nothing for a minute. */
const MOST_COUNTED = 1_000

interface Window {
  from: number
  told: number
  /** The last one that was not told, with how many it stands for. */
  untold: NewBusRow | null
}

const countFields: Readonly<Record<string, 'count' | 'dropped'>> = {
  'system-malformed-received-v1': 'count',
  'system-gate-fired-v1': 'count',
  'system-throttled-v1': 'dropped',
}

export class RefusalLimit {
  readonly #elapsed: () => number
  readonly #windows = new Map<string, Window>()

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Those to be stored. Rows that tell of no refusal stay. */
  limit(rows: readonly NewBusRow[]): NewBusRow[] {
    return rows.filter((row) => countFields[row.schema] === undefined || this.#takes(row))
  }

  #takes(row: NewBusRow): boolean {
    const key = `${row.subject} ${row.schema}`
    const window = this.#windows.get(key) ?? { from: this.#elapsed(), told: 0, untold: null }
    if (!this.#windows.has(key)) {
      if (this.#windows.size >= MOST_COUNTED) return false
      this.#windows.set(key, window)
    }
    window.told += 1
    if (window.told <= TOLD_PER_WINDOW) return true
    window.untold = added(row, window.untold)
    return false
  }

  /** Counts of minutes that are over. Called often. */
  due(now: number): NewBusRow[] {
    const ended = [...this.#windows].filter(([, { from }]) => this.#elapsed() - from >= WINDOW_MS)
    for (const [key] of ended) this.#windows.delete(key)
    return ended.flatMap(([, { untold }]) =>
      untold ? [{ ...untold, messageId: randomUUID(), publishedAt: iso(now), storedAt: now }] : [],
    )
  }

  /** The peer is deleted, and nothing more is told of it. */
  forget(peerId: string): void {
    for (const schema of Object.keys(countFields)) this.#windows.delete(`${peerId} ${schema}`)
  }
}

function added(row: NewBusRow, before: NewBusRow | null): NewBusRow {
  const field = countFields[row.schema] ?? 'count'
  const countOf = (one: NewBusRow) => Number(one.data[field] ?? 1)
  return { ...row, data: { ...row.data, [field]: countOf(row) + (before ? countOf(before) : 0) } }
}
