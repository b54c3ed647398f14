/** FLOW-1: what an agent may have in flight. The first excess is refused, the second ends the connection (T13). Pure. */
import type { LinkLimits } from '@roundhouse/backend-types'

export interface BatchSize {
  events: number
  bytes: number
}

export class FlowWindow {
  readonly #limits: Pick<LinkLimits, 'windowEvents' | 'windowBytes'>
  #events = 0
  #bytes = 0
  #violations = 0

  constructor(limits: Pick<LinkLimits, 'windowEvents' | 'windowBytes'>) {
    this.#limits = limits
  }

  /** `taken` must be given back with `done`, whatever the answer. */
  take(size: BatchSize): 'taken' | 'refused' | 'close' {
    const { windowEvents, windowBytes } = this.#limits
    const fits = this.#events + size.events <= windowEvents && this.#bytes + size.bytes <= windowBytes
    // One batch alone always fits: a single event may be larger than the window.
    if (fits || this.#events === 0) {
      this.#events += size.events
      this.#bytes += size.bytes
      return 'taken'
    }
    this.#violations += 1
    return this.#violations > 1 ? 'close' : 'refused'
  }

  done(size: BatchSize): void {
    this.#events -= size.events
    this.#bytes -= size.bytes
  }
}
