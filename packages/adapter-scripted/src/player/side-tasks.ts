/** What continues beside the turns after the call that began it has its result: helpers that play a script, commands that last. */
import type { BackgroundFinished, BackgroundTask } from '@roundhouse/backend-types'
import { Stopped } from './pause'
import type { Beside, Decided } from './stage'
import type { Turn } from './turn'

interface Running {
  task: BackgroundTask
  turn: Turn
}

export class SideTasks {
  private readonly running = new Map<string, Running>()
  private count = 0

  constructor(
    /** One that plays under a name of its own. */
    private readonly makeTurn: (name: string) => Turn,
    private readonly tell: (tasks: BackgroundTask[]) => Promise<void>,
    private readonly tellEnd: (end: BackgroundFinished) => Promise<void>,
  ) {}

  /** What the call gives back at once. `play` gives the exit code of a command. */
  start(
    about: Omit<BackgroundTask, 'taskId' | 'canStop'>,
    play: (beside: Beside) => Promise<number | undefined>,
  ): string {
    const taskId = `task-${++this.count}`
    const turn = this.makeTurn(taskId)
    this.running.set(taskId, { task: { ...about, taskId, canStop: true }, turn })
    const ended = async (end: Pick<BackgroundFinished, 'outcome' | 'exitCode' | 'message'>) => {
      await this.tellEnd({ ...about, taskId, ...end })
      this.running.delete(taskId)
      await this.told()
    }
    // After the result of the call, so that it is visibly no part of the turn.
    setTimeout(
      () =>
        void this.told()
          .then(() => play(turn))
          .then(
            (exitCode) => ended(turn.stopped.aborted ? { outcome: 'stopped' } : endOf(exitCode)),
            (error) => ended(failureOf(error)),
          ),
      0,
    )
    return `Runs in the background as ${taskId}.`
  }

  decide(call: string, decided: Decided): void {
    for (const { turn } of this.running.values()) turn.decide(call, decided)
  }

  stop(taskId: string): void {
    this.running.get(taskId)?.turn.interrupt()
  }

  private told(): Promise<void> {
    return this.tell([...this.running.values()].map(({ task }) => task))
  }
}

function endOf(exitCode: number | undefined) {
  if (exitCode === undefined) return { outcome: 'completed' as const }
  return { outcome: exitCode === 0 ? ('completed' as const) : ('failed' as const), exitCode }
}

function failureOf(error: unknown) {
  if (error instanceof Stopped) return { outcome: 'stopped' as const }
  return { outcome: 'failed' as const, message: error instanceof Error ? error.message : String(error) }
}
