/**
 * Asks the system for the addresses of names. A question cannot be called back, and each holds one of the few threads on which the
 * process also reads files. So few are asked at once, and of one name never two. A question that waited so long that whoever asked has
 * given up is not asked: names that do not resolve leave no queue behind them.
 */
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

const askSystem: Resolve = (hostname) => lookup(hostname, { all: true })

export interface LookupLimits {
  /** Whoever asks waits no longer. */
  patienceMs: number
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number
}

/** Node.js has four threads. One is left for files. */
const MOST_AT_ONCE = 3

export class Lookups {
  readonly #resolve: Resolve
  readonly #patienceMs: number
  readonly #elapsed: () => number
  readonly #asking = new Map<string, Promise<LookupAddress[]>>()
  readonly #waiting: (() => void)[] = []
  #atOnce = 0

  constructor(resolve: Resolve = askSystem, { patienceMs, elapsed = () => performance.now() }: LookupLimits) {
    this.#resolve = resolve
    this.#patienceMs = patienceMs
    this.#elapsed = elapsed
  }

  of(hostname: string): Promise<LookupAddress[]> {
    const asked = this.#asking.get(hostname)
    if (asked) return asked
    const asking = this.#ask(hostname).finally(() => this.#asking.delete(hostname))
    this.#asking.set(hostname, asking)
    return asking
  }

  async #ask(hostname: string): Promise<LookupAddress[]> {
    const since = this.#elapsed()
    if (this.#atOnce >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#atOnce += 1
    try {
      if (this.#elapsed() - since > this.#patienceMs) throw new Error('waited too long')
      return await this.#resolve(hostname)
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#atOnce -= 1
    }
  }
}
