/**
 * A process: it lives, is killed at any step, and lives again without its memory. Whatever it had under way belongs to
 * one life and does nothing in the next.
 */
import type { World } from './world'

/** Thrown where a process is killed in the middle of a step; the world's loop swallows it. */
export const killed = Symbol('killed')

export abstract class Proc {
  up = false
  #life = 0

  constructor(
    readonly world: World,
    readonly name: string,
  ) {}

  start(): void {
    if (this.up) return
    this.up = true
    this.#life += 1
    this.world.trace(() => `${this.name} starts`)
    this.onStart()
  }

  crash(): void {
    if (!this.up) return
    this.up = false
    this.#life += 1
    this.world.trace(() => `${this.name} is killed`)
    this.onCrash()
  }

  /** The same function, but only as long as this life lasts. */
  bound<A extends unknown[]>(run: (...args: A) => void): (...args: A) => void {
    const life = this.#life
    return (...args) => {
      if (this.up && life === this.#life) run(...args)
    }
  }

  after(ms: number, run: () => void): void {
    this.world.clock.after(ms, this.bound(run))
  }

  every(ms: number, run: () => void): void {
    this.after(ms, () => {
      this.every(ms, run)
      run()
    })
  }

  /** A place where dying would hurt. */
  point(name: string): void {
    const { world } = this
    if (world.calm || !world.rng.chance(world.plan.pointCrash)) return
    world.trace(() => `${this.name} at ${name}`)
    this.crash()
    throw killed
  }

  protected abstract onStart(): void
  protected abstract onCrash(): void
}
