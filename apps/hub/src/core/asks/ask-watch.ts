/**
 * Follows the commands that carry answers to sessions (BUS-12.2, BUS-12.9). What an orchestrator tells a session closes an ask only once the
 * session's host says that the program has it. An answer that a program will never have opens its ask again.
 */
import type { CommandState } from '@roundhouse/backend-types'
import type { Arrivals } from '../bus/peers/arrivals'
import type { PeerBook } from '../bus/peers/peer-book'
import { WakeLoop } from '../common/wake-loop'
import type { AskStep } from '../ports/ask-store'
import type { BusStore } from '../ports/bus-store'

interface AskWatchDeps {
  arrivals: Pick<Arrivals, 'changed'>
  book: PeerBook
  bus: Pick<BusStore, 'append' | 'askedCommands'>
  now: () => number
  onError: (error: unknown) => void
}

/** Undefined: its end is still to come. */
const ends: Partial<Record<CommandState, 'heard' | 'unheard'>> = {
  done: 'heard',
  refused: 'unheard',
  expired: 'unheard',
  cancelled: 'unheard',
  outcome_unknown: 'unheard',
}

export class AskWatch {
  readonly #deps: AskWatchDeps
  readonly #loop: WakeLoop
  /** Sessions whose answers are on their way. */
  #expected = new Set<string>()

  constructor(deps: AskWatchDeps) {
    this.#deps = deps
    this.#loop = new WakeLoop({ step: () => this.#look(), onError: deps.onError })
  }

  /** A command for this session carries an answer. Without this call its end is found by the next tick. */
  expect(sessionId: string): void {
    this.#expected.add(sessionId)
  }

  /** Something about this session changed: its command may have ended. */
  heard(sessionId: string): void {
    if (this.#expected.has(sessionId)) this.#loop.wake()
  }

  tick(): Promise<void> {
    return this.#loop.run()
  }

  idle(): Promise<void> {
    return this.#loop.idle()
  }

  async #look(): Promise<void> {
    const { bus, book, arrivals, now } = this.#deps
    const asked = await bus.askedCommands()
    const underWay = new Set<string>()
    const steps: AskStep[] = []
    const ended = new Set<string>()
    for (const { peerId, commandId, state } of asked) {
      const step = state === null ? 'unheard' : ends[state]
      if (step === undefined) underWay.add(peerId)
      else ended.add(peerId)
      if (step === 'heard') steps.push({ step, commandId, at: now() })
      if (step === 'unheard') steps.push({ step, commandId })
    }
    this.#expected = underWay
    if (steps.length === 0) return
    await bus.append({ rows: [], asks: steps })
    const find = await book.recall([...ended])
    arrivals.changed(
      [...ended].flatMap((peerId) => find(peerId) ?? []),
      steps,
    )
  }
}
