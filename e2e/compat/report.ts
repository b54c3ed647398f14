/** One line a step: `ok` or `FAILED`, and what holds. A step that fails does not stop the others. */
export class Report {
  #passed = 0
  #failed = 0

  async step(sentence: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      this.#passed += 1
      console.log(`ok      ${sentence}`)
    } catch (error) {
      this.#failed += 1
      const { message, cause } = error as Error
      console.log(`FAILED  ${sentence}\n        ${message}${cause ? ` (${cause})` : ''}`)
    }
  }

  /** The exit code. */
  end(): number {
    console.log(`\n${this.#passed} passed, ${this.#failed} failed`)
    return this.#failed === 0 ? 0 : 1
  }
}

export function mustBe<T>(what: string, found: T, wanted: T): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`)
}
