/** A store that is as slow as a test wants: it decides when each read answers. What was read is of the moment of the read. */
import type { Reads } from '../core'
import { Waiter } from './waiter'

type AnyRead = (...args: unknown[]) => Promise<unknown>

export class SlowReads {
  readonly #waiter = new Waiter()
  readonly #slow = new Set<string>()
  readonly #waiting: Array<{ name: string; letGo: () => void }> = []

  /** From now on these wait before they answer: `sessions.find`. `inOneRead` waits before it begins. */
  hold(name: string): void {
    this.#slow.add(name)
  }

  /** Until so many of them wait. */
  waiting(name: string, count = 1): Promise<void> {
    return this.#waiter.until(() => this.#waitingFor(name).length >= count)
  }

  count(name: string): number {
    return this.#waitingFor(name).length
  }

  /** Those that wait, the first one first, or the one of this place; the next of this name do not wait any more. */
  letGo(name: string, place?: number): void {
    if (place === undefined) this.#slow.delete(name)
    const all = this.#waitingFor(name)
    for (const one of place === undefined ? all : all.slice(place, place + 1)) {
      this.#waiting.splice(this.#waiting.indexOf(one), 1)
      one.letGo()
    }
  }

  wrap(reads: Reads): Reads {
    const { inOneRead, ...nouns } = reads
    const slowed = Object.entries(nouns).map(([noun, methods]) => [noun, this.#noun(noun, methods)])
    return {
      ...(Object.fromEntries(slowed) as Omit<Reads, 'inOneRead'>),
      inOneRead: async (work) => {
        await this.#turn('inOneRead')
        return inOneRead((inside) => work(this.wrap(inside)))
      },
    }
  }

  #noun(noun: string, methods: object): object {
    const slowed = Object.entries(methods as Record<string, AnyRead>).map(([name, read]) => {
      const slow: AnyRead = async (...args) => {
        const answer = await read(...args)
        await this.#turn(`${noun}.${name}`)
        return answer
      }
      return [name, slow]
    })
    return Object.fromEntries(slowed)
  }

  #turn(name: string): Promise<void> {
    if (!this.#slow.has(name)) return Promise.resolve()
    return new Promise((letGo) => {
      this.#waiting.push({ name, letGo })
      this.#waiter.look()
    })
  }

  #waitingFor(name: string) {
    return this.#waiting.filter((one) => one.name === name)
  }
}
