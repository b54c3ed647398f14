/**
 * STORE-1: the one gate that every write to the SQLite file passes. An async mutex, first come first served. Whoever
 * holds it awaits nothing but the database. There are two writing connections (Prisma's and the event writer's) in one
 * thread: without the gate the second would freeze the event loop for the whole `busy_timeout`, and an unrelated
 * Prisma write would join a transaction that is open and vanish with its rollback.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

interface Hold {
  gate: WriteGate
  open: boolean
  /** The hold of another gate, inside which this one began. */
  outer: Hold | undefined
}

/** One for all gates: with Node.js 20, each promise of a process pays for each storage that was ever used in it. */
const holds = new AsyncLocalStorage<Hold>()

/** The innermost that is open. Those that ended are let go, or work that goes on behind them would gather them all. */
function openHold(): Hold | undefined {
  let hold = holds.getStore()
  while (hold && !hold.open) hold = hold.outer
  return hold
}

export class WriteGate {
  readonly #waiting: Array<() => void> = []
  #busy = false

  /** True inside `run`, for the very chain of calls that holds the gate, until it lets go. */
  get isHeldHere(): boolean {
    let hold = openHold()
    while (hold && hold.gate !== this) hold = hold.outer
    return hold?.open === true
  }

  get isFree(): boolean {
    return !this.#busy
  }

  /** Inside a `run` the inner work belongs to the outer hold. */
  async run<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.isHeldHere) return work()
    await this.#acquire()
    const hold: Hold = { gate: this, open: true, outer: openHold() }
    try {
      return await holds.run(hold, async () => work())
    } finally {
      hold.open = false // work that was left running unawaited does not count as a holder any more
      this.#release()
    }
  }

  #acquire(): Promise<void> | undefined {
    if (!this.#busy) {
      this.#busy = true
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#busy = false
  }
}
