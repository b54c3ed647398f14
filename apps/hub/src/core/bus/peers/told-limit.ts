/**
 * Limits what the hub tells of one peer (BUS-5): refusals, and how it comes and goes. Of each kind, a peer's first ones in a while are told
 * one by one. The others are counted, and told as one message when that time is over: the last of them, with how many it stands for.
 * So nobody fills the table with messages that were not taken, or with connections that flap.
 */
import { randomUUID } from 'node:crypto'
import type { NewBusRow } from '../../ports/bus-store'
import { iso } from '../messages/bus-messages'

export const WINDOW_MS = 60_000
export const TOLD_PER_WINDOW = 20
/** A peer that comes and goes more often than this flaps. */
export const FLAP_WINDOW_MS = 600_000
/** Peers and kinds that are counted at once. Refusals beyond them are not told. */
const MOST_COUNTED = 4_096

interface Kind {
  name: string
  windowMs: number
  /** The field of its data that counts. */
  field: 'count' | 'dropped'
}

const refusal = (name: string): Kind => ({ name, windowMs: WINDOW_MS, field: 'count' })
/** One kind, so that the last message says what is true. */
const presence: Kind = { name: 'presence', windowMs: FLAP_WINDOW_MS, field: 'count' }

const kinds: Readonly<Record<string, Kind>> = {
  'system-malformed-received-v1': refusal('malformed'),
  'system-gate-fired-v1': refusal('gate'),
  'system-throttled-v1': { ...refusal('throttled'), field: 'dropped' },
  'system-peer-joined-v1': presence,
  'system-peer-left-v1': presence,
}

interface Window {
  kind: Kind
  from: number
  told: number
  /** The last one that was not told, with how many it stands for. */
  untold: NewBusRow | null
}

/** What is decided of a write. It counts once the write is stored, so a write that is tried again counts once. */
export interface ToldDraft {
  /** Those to be stored. Rows of no limited kind stay. */
  limit(rows: readonly NewBusRow[]): NewBusRow[]
  /** The write is stored. */
  count(): void
}

export class ToldLimit {
  readonly #elapsed: () => number
  readonly #windows = new Map<string, Window>()

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  draft(): ToldDraft {
    const counted: NewBusRow[] = []
    const ahead = new Map<string, number>()
    return {
      limit: (rows) =>
        rows.filter((row) => {
          const key = keyOf(row)
          if (key === null) return true
          counted.push(row)
          const told = (this.#windows.get(key)?.told ?? 0) + (ahead.get(key) ?? 0)
          ahead.set(key, (ahead.get(key) ?? 0) + 1)
          return this.#hasRoom(key) && told < TOLD_PER_WINDOW
        }),
      count: () => {
        for (const row of counted.splice(0)) this.#count(row)
      },
    }
  }

  #count(row: NewBusRow): void {
    const key = keyOf(row)
    const kind = kinds[row.schema]
    if (key === null || !kind) return
    const window = this.#windows.get(key) ?? { kind, from: this.#elapsed(), told: 0, untold: null }
    if (!this.#hasRoom(key)) return
    if (!this.#windows.has(key) && this.#windows.size >= MOST_COUNTED) this.#windows.delete(this.#spare() ?? '')
    this.#windows.set(key, window)
    window.told += 1
    if (window.told > TOLD_PER_WINDOW) window.untold = added(row, window.untold, kind.field)
  }

  #hasRoom(key: string): boolean {
    if (this.#windows.has(key) || this.#windows.size < MOST_COUNTED) return true
    return key.endsWith(presence.name) && this.#spare() !== undefined
  }

  /** A window in which everything was told: without it, a peer that comes may be told of. */
  #spare(): string | undefined {
    for (const [key, { untold }] of this.#windows) if (!untold) return key
    return undefined
  }

  /** Counts of windows that are over, as messages. Called often. They are due again until `told` says that they are stored. */
  due(now: number): { rows: NewBusRow[]; told: () => void } {
    const ended = [...this.#windows].filter(([, { kind, from }]) => this.#elapsed() - from >= kind.windowMs)
    const rows = ended.flatMap(([, { untold }]) =>
      untold ? [{ ...untold, messageId: randomUUID(), publishedAt: iso(now), storedAt: now }] : [],
    )
    const told = () => {
      for (const [key, window] of ended) if (this.#windows.get(key) === window) this.#windows.delete(key)
    }
    return { rows, told }
  }

  /** The peer is deleted, and nothing more is told of it. */
  forget(peerId: string): void {
    for (const { name } of Object.values(kinds)) this.#windows.delete(`${peerId} ${name}`)
  }
}

/** Sessions are not counted: how they come and go follows from their logs, and a count of each would stay in memory. */
function keyOf({ subject, schema, sessionId }: NewBusRow): string | null {
  const kind = kinds[schema]
  return kind && !(kind === presence && sessionId !== null) ? `${subject} ${kind.name}` : null
}

function added(row: NewBusRow, before: NewBusRow | null, field: Kind['field']): NewBusRow {
  const countOf = (one: NewBusRow) => Number(one.data[field] ?? 1)
  return { ...row, data: { ...row.data, [field]: countOf(row) + (before ? countOf(before) : 0) } }
}
