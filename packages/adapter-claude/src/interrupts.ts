/**
 * Ends the running turn. 2.1.330 says yes to an interrupt that comes before the turn has begun inside it, and forgets it, so
 * one that has no effect is repeated. A CLI that does not obey is told by SIGINT, on which it keeps its transcript and ends,
 * and at last by SIGKILL.
 */
import type { ChildProgram } from '@roundhouse/adapter-kit'
import type { Requests } from './wire/requests'

export class Interrupts {
  /** Those that were not answered yet. */
  private unanswered = 0
  private waiting: Array<() => void> = []
  private readonly turnEnds = new Set<() => void>()

  constructor(
    private readonly child: Pick<ChildProgram, 'gone' | 'isPaused' | 'signal'>,
    private readonly requests: Requests,
    private readonly limitMs: number,
  ) {}

  /** Resolves when the turn, or the program, is over. */
  async endTurn(): Promise<void> {
    const over = new Promise<void>((resolve) => this.turnEnds.add(resolve))
    // While nobody reads, its obedience cannot be seen.
    const insist = (signal: NodeJS.Signals) => () => {
      if (!this.child.isPaused) this.child.signal(signal)
    }
    const timers = [setTimeout(insist('SIGINT'), this.limitMs), setTimeout(insist('SIGKILL'), 2 * this.limitMs)]
    const repeat = setInterval(() => this.ask(), this.limitMs / 10)
    this.ask()
    await Promise.race([over, this.child.gone])
    clearInterval(repeat)
    for (const timer of timers) clearTimeout(timer)
  }

  turnEnded(): void {
    for (const resolve of this.turnEnds) resolve()
    this.turnEnds.clear()
  }

  /** A prompt behind an interrupt that is still on its way would be what it ends. */
  whenAnswered(work: () => void): void {
    if (this.unanswered > 0) this.waiting.push(work)
    else work()
  }

  /** Refused or unanswered alike, the timers of `endTurn` decide. */
  private ask(): void {
    const settled = () => {
      this.unanswered -= 1
      if (this.unanswered === 0) for (const work of this.waiting.splice(0)) work()
    }
    this.unanswered += 1
    this.requests.ask({ subtype: 'interrupt' }, this.limitMs).then(settled, settled)
  }
}
