/** Why a session cannot be taken over or started now. The log gets each reason once, and the daemon looks again after a while. */
import type { CodedError } from '@roundhouse/backend-types'
import { onceLater } from './one-by-one'
import { type Blocking, whyBlocked } from './why-blocked'

const LOOK_AGAIN_MS = 5_000

export class Blockage {
  /** Null where nothing is in the way. */
  reason: CodedError | null = null
  readonly lookAgain: () => void
  private told: string | null = null

  constructor(
    private readonly sessionId: string,
    private readonly log: (line: string) => void,
    again: () => void,
  ) {
    this.lookAgain = onceLater(LOOK_AGAIN_MS, again)
  }

  wait(why: Blocking): void {
    this.reason = whyBlocked(this.sessionId, why)
    this.tellOnce(this.reason.message)
    this.lookAgain()
  }

  tellOnce(problem: string): void {
    if (problem !== this.told) this.log(problem)
    this.told = problem
  }

  /** The session was settled: a reason that comes back is told again. */
  settled(): void {
    this.told = null
  }
}
