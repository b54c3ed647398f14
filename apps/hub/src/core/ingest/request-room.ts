/**
 * How much one machine may ask at once, in a session and in all, by number and by length (BAD-4): what is open is on every
 * page that shows the session, and in the Inbox. The last one that fits may be longer than what is left.
 */
import { machineLimits } from '../machines/machine-limits'
import type { IngestTx } from '../ports/stores'

export class RequestRoom {
  #left: Array<{ count: number; bytes: number }> | undefined

  /** `pk`: undefined where the session has no row yet. */
  constructor(
    private readonly tx: Pick<IngestTx, 'requests'>,
    private readonly owner: { agentId: string; pk?: number | undefined },
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
    const { agentId, pk } = this.owner
    const ofMachine = this.tx.requests.open(agentId)
    const ofSession = pk === undefined ? { count: 0, bytes: 0 } : this.tx.requests.open(agentId, pk)
    return [
      { count: requests - ofMachine.count, bytes: requestBytes - ofMachine.bytes },
      { count: requestsOfSession - ofSession.count, bytes: requestBytesOfSession - ofSession.bytes },
    ]
  }
}
