/** Limits the rows of one cause that one machine adds to the audit log per minute, so that no machine fills it. */
const WINDOW_MS = 60_000
/** How many machines are remembered. The machine with the oldest report is forgotten first. */
const MOST_KEYS = 1_000

export class RowLimit {
  readonly #told = new Map<string, { from: number; rows: number }>()

  constructor(private readonly perMinute: number) {}

  takes(key: string, now: number): boolean {
    const known = this.#told.get(key)
    const current = known && now - known.from < WINDOW_MS && now >= known.from ? known : { from: now, rows: 0 }
    this.#told.delete(key)
    this.#told.set(key, { ...current, rows: current.rows + 1 })
    const [oldest] = this.#told.keys()
    if (this.#told.size > MOST_KEYS && oldest !== undefined) this.#told.delete(oldest)
    return current.rows < this.perMinute
  }
}
