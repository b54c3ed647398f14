/**
 * Prompts that Codex was given for the running turn, until it begins with them. It answers the request at once, and reads
 * the prompt later: behind the call that runs, or where it breaks off what it writes. Then it names the message by the id
 * that the request gave it. At the end of a turn (an interrupt, for example) it keeps the prompt for the next one.
 */
interface Waiting {
  begins(): void
  isAccepted: boolean
}

export class Steers {
  private readonly waiting = new Map<string, Waiting>()

  sent(id: string, begins: () => void): void {
    this.waiting.set(id, { begins, isAccepted: false })
  }

  /** `isBegun`: nothing more will be told of it. */
  accepted(id: string, isBegun: boolean): void {
    const waiting = this.waiting.get(id)
    if (!waiting) return
    waiting.isAccepted = true
    if (isBegun) this.begins(id)
  }

  refused(id: string): void {
    this.waiting.delete(id)
  }

  begins(id: string): void {
    const waiting = this.waiting.get(id)
    this.waiting.delete(id)
    waiting?.begins()
  }

  turnEnds(): void {
    for (const [id, { isAccepted }] of [...this.waiting]) if (isAccepted) this.begins(id)
  }
}
