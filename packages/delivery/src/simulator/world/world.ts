/** What all actors of one simulated run share: time, chance, the network's mood, the kernel and the record of the truth. */
import type { Kernel } from '../kernel'
import { Clock } from './clock'
import { type Plan, planOf } from './plan'
import { killed } from './proc'
import { Rng } from './rng'
import { Truth } from './truth'

/** Who is not heard any more. */
export type Direction = 'both' | 'client' | 'hub'

export class World {
  readonly rng: Rng
  readonly clock = new Clock()
  readonly plan: Plan
  readonly truth: Truth
  /** No more faults: from now on everything must converge (I11). */
  calm = false
  readonly #cut = new Map<string, Direction>()
  readonly #tracing: boolean
  #ids = 0

  constructor(
    readonly seed: number,
    readonly kernel: Kernel,
    tracing: boolean,
  ) {
    this.rng = new Rng(seed)
    this.plan = planOf(this.rng)
    this.truth = new Truth()
    this.#tracing = tracing
  }

  newId(prefix: string): string {
    this.#ids += 1
    return `${prefix}${this.#ids}`
  }

  /** Nothing goes along the route any more, or nothing in one direction: half-open (F7). */
  cut(route: string, direction: Direction = 'both'): void {
    this.#cut.set(route, direction)
  }

  mend(route: string): void {
    this.#cut.delete(route)
  }

  isCut(route: string, from?: 'client' | 'hub'): boolean {
    const direction = this.#cut.get(route)
    return direction !== undefined && (from === undefined || direction === 'both' || direction === from)
  }

  trace(line: () => string): void {
    if (this.#tracing) console.log(`${String(this.clock.now).padStart(7)}  ${line()}`)
  }

  run(untilMs: number): void {
    for (;;) {
      try {
        while (this.clock.step(untilMs)) {}
        return
      } catch (thrown) {
        if (thrown !== killed) throw thrown
      }
    }
  }
}
