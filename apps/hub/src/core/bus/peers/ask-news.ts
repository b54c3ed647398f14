/** Whether steps change what somebody waits for, so that inboxes are read again only then. A worker moves on often, and rarely asked. */
import type { AskStep } from '../../ports/ask-store'

/** Peers that are remembered. With more, all are forgotten: each then rings once too often. */
const MOST = 4_096

export class AskNews {
  /** Peers of which it is known that nothing is open. */
  readonly #quiet = new Set<string>()

  changes(steps: readonly AskStep[]): boolean {
    return steps.map((step) => this.#changes(step)).includes(true)
  }

  #changes(step: AskStep): boolean {
    switch (step.step) {
      case 'told':
        return false
      case 'moved': {
        const { peerId } = step
        if (this.#quiet.has(peerId)) return false
        if (this.#quiet.size >= MOST) this.#quiet.clear()
        this.#quiet.add(peerId)
        return true
      }
      case 'open':
        this.#quiet.delete(step.peerId)
        return true
      case 'answered':
        return true
      // Neither names its peer: the ask may be open again.
      case 'heard':
      case 'unheard':
        this.#quiet.clear()
        return true
    }
  }
}
