/** Writes messages to the client, a line each. While the client does not read, the programs wait (FLOW-2). */
import type { Writable } from 'node:stream'
import type { BridgeReply } from '@roundhouse/backend-types/bridge'

/** What the client has not read by then is enough. */
const FULL_BYTES = 4 * 1024 * 1024

export class Outlet {
  private isFull = false

  constructor(
    private readonly stream: Writable,
    private readonly full: (isFull: boolean) => void,
  ) {
    stream.on('drain', () => this.tell(false))
  }

  write(reply: BridgeReply): void {
    this.stream.write(`${JSON.stringify(reply)}\n`)
    if (this.stream.writableLength > FULL_BYTES) this.tell(true)
  }

  /** Resolves when the client has it all, or is gone. */
  async flushed(): Promise<void> {
    await new Promise<void>((resolve) => this.stream.write('', () => resolve()))
  }

  private tell(isFull: boolean): void {
    if (isFull === this.isFull) return
    this.isFull = isFull
    this.full(isFull)
  }
}
