/** The policy and the kill switch in force: read from their files whenever they are asked for, and looked at now and then for changes. */
import { toCodedError } from '@roundhouse/backend-types'
import type { LogLine } from '../files/log-line'
import type { PauseSwitch } from '../policy/pause'
import { type Policy, policyDigest, summarizePolicy } from '../policy/policy'
import type { PolicyStore } from '../policy/policy-store'
import { nothingAllowed } from './host-policy'

const LOOK_MS = 2_000

export class PolicyWatch {
  private timer: NodeJS.Timeout | null = null
  private last = ''
  /** What was wrong with the policy file, said once. */
  private lastProblem = ''

  constructor(
    private readonly store: PolicyStore,
    private readonly pause: PauseSwitch,
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

  /** Epoch ms; null while the machine is not paused. */
  pausedSince(): number | null {
    return this.pause.since()
  }

  /** From now on `changed` is called after every change, and `looked` at every look. */
  start(changed: () => void, looked: () => void): void {
    this.last = this.inForce()
    this.timer = setInterval(() => {
      this.look(changed)
      looked()
    }, LOOK_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
  }

  private inForce(): string {
    return `${policyDigest(this.current())} ${this.pausedSince()}`
  }

  private look(changed: () => void): void {
    const now = this.inForce()
    if (now === this.last) return
    this.last = now
    const paused = this.pausedSince() === null ? '' : 'paused; '
    this.log(`the policy changed: ${paused}${summarizePolicy(this.current())}`)
    changed()
  }
}
