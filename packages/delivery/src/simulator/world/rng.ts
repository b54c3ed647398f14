/** One stream of chance per seed (sfc32): the same seed tells the same story on every machine. */
export class Rng {
  #a = 0x9e3779b9
  #b = 0x243f6a88
  #c = 0xb7e15162
  #count = 1

  constructor(seed: number) {
    this.#a ^= seed | 0
    this.#b ^= Math.floor(seed / 0x1_0000_0000)
    for (let warm = 0; warm < 16; warm += 1) this.next()
  }

  /** From 0 up to, but without, 1. */
  next(): number {
    const t = (this.#a + this.#b + this.#count) | 0
    this.#count = (this.#count + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (this.#c << 21) | (this.#c >>> 11)
    this.#c = (this.#c + t) | 0
    return (t >>> 0) / 0x1_0000_0000
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.next() * list.length)]
  }
}
