/**
 * Limits how many requests a machine may have open, per session and in all, by number and length (BAD-4): each is on
 * every page of the session and in the inbox. The last one that fits may exceed the remaining length.
 */
import { machineLimits } from '../machines/machine-limits'
import type { WorkingSet } from '../stream/working-set'

export class RequestRoom {
  #left: Array<{ count: number; bytes: number }> | undefined

  constructor(
    private readonly set: Pick<WorkingSet, 'requests'>,
    private readonly sessionId: string,
  ) {}

  /** Whether a request of this length may open now. If so, it counts. */
  takes(bytes: number): boolean {
    this.#left ??= this.#read()
    if (this.#left.some((left) => left.count <= 0 || left.bytes <= 0)) return false
    for (const left of this.#left) {
      left.count -= 1
      left.bytes -= bytes
    }
    return true
  }

  /** Looked up at the first request. */
  #read() {
    const { requests, requestBytes, requestsOfSession, requestBytesOfSession } = machineLimits
    const { ofMachine, ofSession } = this.set.requests.open(this.sessionId)
    return [
      { count: requests - ofMachine.count, bytes: requestBytes - ofMachine.bytes },
      { count: requestsOfSession - ofSession.count, bytes: requestBytesOfSession - ofSession.bytes },
    ]
  }
}
