/** The policy in force: read from its file whenever it is asked for, and looked at now and then for changes. */
import { toCodedError } from '@roundhouse/backend-types'
import type { LogLine } from '../files/log-line'
import { type Policy, policyDigest, summarizePolicy } from '../policy/policy'
import type { PolicyStore } from '../policy/policy-store'
import { nothingAllowed } from './host-policy'

const LOOK_MS = 2_000

export class PolicyWatch {
  private timer: NodeJS.Timeout | null = null
  private lastDigest = ''
  /** What was wrong with the policy file, said once. */
  private lastProblem = ''

  constructor(
    private readonly store: PolicyStore,
    private readonly log: LogLine,
  ) {}

  /** A policy file that cannot be read allows nothing. */
  current(): Policy {
    try {
      const policy = this.store.current()
      this.lastProblem = ''
      return policy
    } catch (error) {
      const { message } = toCodedError(error)
      if (message !== this.lastProblem) this.log(message)
      this.lastProblem = message
      return nothingAllowed
    }
  }

  /** From now on `changed` is called after every change. */
  start(changed: () => void): void {
    this.lastDigest = policyDigest(this.current())
    this.timer = setInterval(() => this.look(changed), LOOK_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
  }

  private look(changed: () => void): void {
    const policy = this.current()
    const digest = policyDigest(policy)
    if (digest === this.lastDigest) return
    this.lastDigest = digest
    this.log(`the policy changed: ${summarizePolicy(policy)}`)
    changed()
  }
}
