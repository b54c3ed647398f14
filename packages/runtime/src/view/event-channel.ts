/** Events from one writer to whoever reads, in order. It can be closed once, and says when more wait than anybody reads. */
/** More events wait than this: the program is told to wait. */
const MOST_WAITING = 1_000

export class EventChannel<Event> {
  private readonly waiting: Event[] = []
  private readonly readers: Array<(next: IteratorResult<Event, undefined>) => void> = []
  private closed = false
  private full = false

  /** `onFull`: called with true when too much waits, and with false when all of it was read. */
  constructor(private readonly onFull: (full: boolean) => void) {}

  push(event: Event): void {
    if (this.closed) return
    const reader = this.readers.shift()
    if (reader) reader({ done: false, value: event })
    else this.waiting.push(event)
    if (!this.full && this.waiting.length > MOST_WAITING) this.tell(true)
  }

  /** What waits can still be read. */
  close(): void {
    this.closed = true
    for (const reader of this.readers.splice(0)) reader({ done: true, value: undefined })
  }

  events(): AsyncIterableIterator<Event> {
    const iterator: AsyncIterableIterator<Event> = {
      next: () => this.next(),
      // Who stops reading takes nothing from the others.
      return: async () => ({ done: true, value: undefined }),
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }

  private next(): Promise<IteratorResult<Event, undefined>> {
    const event = this.waiting.shift()
    if (this.full && this.waiting.length === 0) this.tell(false)
    if (event) return Promise.resolve({ done: false, value: event })
    if (this.closed) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => this.readers.push(resolve))
  }

  private tell(full: boolean): void {
    this.full = full
    this.onFull(full)
  }
}
