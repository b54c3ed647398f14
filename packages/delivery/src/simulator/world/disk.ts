/**
 * A file that is changed by transactions. What was written is seen at once by its own process, and is safe only after a
 * flush; a crash keeps what was flushed and, as luck has it, the first few of the transactions after that.
 */
import type { Proc } from './proc'
import type { World } from './world'

interface Written<T> {
  version: number
  state: T
}

export class Disk<T> {
  readonly #world: World
  #durable: Written<T>
  #pending: Array<Written<T>> = []
  #era = 0
  /** Flushes end in the order in which they began. */
  #flushedAt = 0
  /** Until then there is no room: what is written waits (F16, F17). */
  #fullUntil = 0

  constructor(world: World, state: T) {
    this.#world = world
    this.#durable = { version: 0, state }
  }

  get durable(): T {
    return this.#durable.state
  }

  get current(): T {
    return (this.#pending.at(-1) ?? this.#durable).state
  }

  write(change: (state: T) => T): void {
    const last = this.#pending.at(-1) ?? this.#durable
    this.#pending.push({ version: last.version + 1, state: change(last.state) })
  }

  /** All that is written by now will be safe. `done` runs then, if the process that waits for it still lives. */
  flush(proc: Proc, done: () => void): void {
    const { rng, plan } = this.#world
    const target = this.#pending.at(-1) ?? this.#durable
    const era = this.#era
    const ready = proc.bound(done)
    const { clock } = this.#world
    this.#flushedAt = Math.max(
      this.#flushedAt,
      this.#fullUntil,
      clock.now + rng.between(plan.flushMs[0], plan.flushMs[1]),
    )
    clock.after(this.#flushedAt - clock.now, () => {
      if (era !== this.#era) return
      if (target.version > this.#durable.version) {
        this.#durable = target
        this.#pending = this.#pending.filter(({ version }) => version > target.version)
      }
      ready()
    })
  }

  /** No room for so long. What was flushed stays, nothing else becomes safe, and a crash meanwhile may lose it. */
  fill(ms: number): void {
    this.#fullUntil = this.#world.clock.now + ms
  }

  /** The writer died. */
  crash(): void {
    this.#era += 1
    const kept = this.#pending[this.#world.rng.between(0, this.#pending.length) - 1]
    if (kept) this.#durable = kept
    this.#pending = []
  }

  /** Behind everybody's back, in every state that may still become the durable one. */
  damage(change: (state: T) => T): void {
    for (const written of [this.#durable, ...this.#pending]) written.state = change(written.state)
  }

  /** The file is put back to an older state, or taken away. */
  replace(state: T): void {
    this.#era += 1
    this.#pending = []
    this.#durable = { version: this.#durable.version + 1, state }
  }
}
