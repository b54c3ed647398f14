/**
 * How much one machine may ask at once, in a session and in all, by number and by length (BAD-4): what is open is on every
 * page that shows the session, and in the Inbox. The last one that fits may be longer than what is left.
 */
import { machineLimits } from '../machines/machine-limits'
import type { WorkingSet } from '../stream/working-set'

export class RequestRoom {
  #left: Array<{ count: number; bytes: number }> | undefined

  constructor(
    private readonly set: Pick<WorkingSet, 'requests'>,
    private readonly sessionId: string,
  ) {}

  /** Whether a question of this length may open now; then it counts. */
  takes(bytes: number): boolean {
    this.#left ??= this.#read()
    if (this.#left.some((left) => left.count <= 0 || left.bytes <= 0)) return false
    for (const left of this.#left) {
      left.count -= 1
      left.bytes -= bytes
    }
    return true
  }

  /** Looked up when the first question comes. */
  #read() {
    const { requests, requestBytes, requestsOfSession, requestBytesOfSession } = machineLimits
    const { ofMachine, ofSession } = this.set.requests.open(this.sessionId)
    return [
      { count: requests - ofMachine.count, bytes: requestBytes - ofMachine.bytes },
      { count: requestsOfSession - ofSession.count, bytes: requestBytesOfSession - ofSession.bytes },
    ]
  }
}
