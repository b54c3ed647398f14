/** Writes messages to the client, a line each. While the client does not read, the programs wait (FLOW-2). */
import type { Readable, Writable } from 'node:stream'
import type { BridgeReply } from '@roundhouse/backend-types/bridge'

/** What the client has not read by then is enough. */
const FULL_BYTES = 4 * 1024 * 1024
/** By then it is not heard any more, either: each of its requests has a reply. */
const OVERFULL_BYTES = 16 * 1024 * 1024

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

  /** After what was read of `client`: one that asks and does not read is heard again when it has read. */
  holdBack(client: Readable): void {
    if (this.stream.writableLength <= OVERFULL_BYTES || client.isPaused()) return
    client.pause()
    this.stream.once('drain', () => client.resume())
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
