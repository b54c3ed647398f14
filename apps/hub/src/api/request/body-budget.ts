/**
 * Limits how many bytes of bodies are in flight: for each sender, and in total. A newcomer is never refused. If there is no
 * room, the sender that holds most loses its oldest body, so that neither a crowd nor a slow sender keeps others out.
 */

/** A body costs more than its bytes. */
const LEAST_BYTES = 4_096

interface Held {
  sender: string
  bytes: number
  cut: () => void
}

export interface BudgetLimits {
  perSender: number
  inAll: number
}

export class BodyBudget {
  readonly #limits: BudgetLimits
  /** In the order in which they began. */
  readonly #held = new Set<Held>()
  readonly #perSender = new Map<string, number>()
  #inAll = 0

  constructor(limits: BudgetLimits) {
    this.#limits = limits
  }

  /** Until what it returns is called. `cut` is called at most once, where the room is needed for another body. */
  reserve(sender: string, announced: number, cut: () => void): () => void {
    const held: Held = { sender, bytes: Math.max(LEAST_BYTES, announced), cut }
    this.#held.add(held)
    this.#add(sender, held.bytes)
    while (this.#of(sender) > this.#limits.perSender && this.#cutOldestOf(sender, held)) {}
    while (this.#inAll > this.#limits.inAll && this.#cutOldestOf(this.#heaviest(), held)) {}
    return () => this.#release(held)
  }

  #release(held: Held): boolean {
    if (!this.#held.delete(held)) return false
    this.#add(held.sender, -held.bytes)
    return true
  }

  #cutOldestOf(sender: string, newcomer: Held): boolean {
    for (const held of this.#held) {
      if (held.sender !== sender || held === newcomer) continue
      this.#release(held)
      held.cut()
      return true
    }
    return false
  }

  /** If several hold the same amount, the one that began first. */
  #heaviest(): string {
    let most = 0
    let heaviest = ''
    for (const [sender, bytes] of this.#perSender) {
      if (bytes <= most) continue
      most = bytes
      heaviest = sender
    }
    return heaviest
  }

  #of(sender: string): number {
    return this.#perSender.get(sender) ?? 0
  }

  #add(sender: string, bytes: number): void {
    const sum = this.#of(sender) + bytes
    this.#inAll += bytes
    if (sum > 0) this.#perSender.set(sender, sum)
    else this.#perSender.delete(sender)
  }
}
