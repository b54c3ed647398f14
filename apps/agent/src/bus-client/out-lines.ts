/** Lines to standard output, as fast as the reader takes them. A reader that closes its end has ended them. */
import type { Writable } from 'node:stream'

/** What waits in memory before the hub is asked to wait. */
const MOST_WAITING = 1_048_576

export class OutLines {
  readonly #out: Writable
  readonly #onClosed: () => void
  isClosed = false

  constructor(out: Writable, onClosed: () => void) {
    this.#out = out
    this.#onClosed = onClosed
    out.on('error', () => this.#close())
    out.on('close', () => this.#close())
  }

  /** False: enough waits. */
  write(line: string): boolean {
    if (this.isClosed) return false
    this.#out.write(`${line}\n`)
    return this.#out.writableLength < MOST_WAITING
  }

  /** Resolves when the reader has taken everything, or is gone. */
  drained(): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    // The callback comes when those before it are out, or with an error.
    return new Promise((resolve) => void this.#out.write('', () => resolve()))
  }

  #close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#onClosed()
  }
}
