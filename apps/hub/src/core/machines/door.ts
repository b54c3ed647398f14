/**
 * Admits machines that connect (LINK-4). When a hub or a network returns, all machines connect at once. The writes of
 * their handshakes wait in one queue: several share a transaction, and requests of people run in between. A machine
 * that asks while the queue is long is told when to come, a few at a time.
 *
 * Only known machines are in the queue, each once, so callers without a key cannot lengthen it (LINK-1).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CodedError } from '@roundhouse/backend-types'
import { Pace } from '../common/pace'
import type { LoadKeys, StreamWriter } from '../ports/stream/stream-writer'
import { deciding, joinKeys, type WorkingSet } from '../stream/working-set'

/** Writes per commit. */
const AT_ONCE = 8
/** A shorter queue needs no turns. */
const NO_CROWD_MS = 250
/** Turns of the same moment share their commits. */
const MOMENT_MS = 100
/** The longest wait for a turn. */
const LONGEST_MS = 20_000
/** An unused turn is dropped after this time. */
const LATE_MS = 3_000

type Work<T> = (set: WorkingSet) => T
type Result = { value: unknown } | { refusal: CodedError }

interface Waiting {
  keys: LoadKeys
  work: Work<unknown>
  done(result: Result): void
  failed(error: unknown): void
}

export class Door {
  readonly #ingest: StreamWriter
  readonly #now: () => number
  readonly #begun: Waiting[] = []
  readonly #new: Waiting[] = []
  /** When machines that asked may come, or were admitted. */
  readonly #turns = new Map<string, number>()
  readonly #pace = new Pace()
  #running = false
  /** When all proven handshakes will be done. */
  #busyUntil = 0
  #sweptAt = 0

  constructor(ingest: StreamWriter, now: () => number) {
    this.#ingest = ingest
    this.#now = now
  }

  /** How long a machine that asks must wait. 0: it may come now. */
  waitMs(agentId: string): number {
    const now = this.#now()
    this.#forgetOld(now)
    const own = this.#turns.get(agentId)
    if (own !== undefined) return Math.max(0, own - now)
    const ahead = Math.max(0, this.#busyUntil - now) + this.#turns.size * this.#pace.ms
    const waitMs = ahead < NO_CROWD_MS ? 0 : momentAfter(now + Math.min(LONGEST_MS, ahead)) - now
    this.#turns.set(agentId, now + waitMs)
    return waitMs
  }

  /** The machine has proved its key. */
  proved(agentId: string): void {
    this.#turns.delete(agentId)
    this.#pace.step()
    this.#busyUntil = Math.max(this.#now(), this.#busyUntil) + this.#pace.ms
  }

  /**
   * Writes in order; `begun` is for a machine in the middle of its handshake. The work shares its commit with others,
   * so it may throw a `CodedError` only before it writes. After any other error, each work runs in a transaction of its
   * own.
   */
  write<T>(keys: LoadKeys, work: Work<T>, line: 'new' | 'begun'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const done = (result: Result) => ('value' in result ? resolve(result.value as T) : reject(result.refusal))
      const waiting = line === 'new' ? this.#new : this.#begun
      waiting.push({ keys, work, done, failed: reject })
      if (!this.#running) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#running = true
    await nextTurn()
    while (this.#begun.length + this.#new.length > 0) {
      const some = this.#begun.splice(0, AT_ONCE)
      some.push(...this.#new.splice(0, AT_ONCE - some.length))
      await this.#writeSome(some)
      await nextTurn()
    }
    this.#running = false
  }

  async #writeSome(some: readonly Waiting[]): Promise<void> {
    try {
      const keys = joinKeys(some.map((one) => one.keys))
      const decide = deciding((set) => each(some, set))
      const results = await this.#ingest.change(keys, decide, some.length)
      for (const [index, result] of results.entries()) some[index]?.done(result)
    } catch (error) {
      // A write that fails must not keep out the others.
      if (some.length > 1) await Promise.all(some.map((one) => this.#writeSome([one])))
      else for (const one of some) one.failed(error)
    }
  }

  #forgetOld(now: number): void {
    if (now < this.#sweptAt) {
      // The clock was set back, so the promised turns have no meaning.
      this.#turns.clear()
      this.#busyUntil = now
    } else if (now - this.#sweptAt < NO_CROWD_MS) return
    this.#sweptAt = now
    for (const [agentId, at] of this.#turns) if (now - at >= LATE_MS) this.#turns.delete(agentId)
  }
}

const momentAfter = (at: number): number => Math.ceil(at / MOMENT_MS) * MOMENT_MS

function each(some: readonly Waiting[], set: WorkingSet): Result[] {
  const results: Result[] = []
  for (const { work } of some) {
    try {
      results.push({ value: work(set) })
    } catch (error) {
      if (!(error instanceof CodedError) || error.code.startsWith('STORAGE_')) throw error
      results.push({ refusal: error })
    }
  }
  return results
}
