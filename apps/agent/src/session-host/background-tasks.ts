/**
 * What the program runs beside its turns, by its own latest word (SES-6, LINK-5): helpers and commands. Each keeps the time
 * at which it was first told.
 */
import type { ReportedTask, RunningTask, SessionEventOf } from '@roundhouse/backend-types'

/** Kept in the log's file, so that whoever closes after a kill can name them. */
export const backgroundKey = 'background'

const LONGEST_LABEL = 500
/** As many as an account has room for. */
const MOST = 64

export class BackgroundTasks {
  private tasks: readonly RunningTask[] = []

  constructor(
    private readonly now: () => number,
    private readonly clean: (text: string) => string,
  ) {}

  get list(): readonly RunningTask[] {
    return this.tasks
  }

  get size(): number {
    return this.tasks.length
  }

  /** The calls that started them. */
  get callIds(): ReadonlySet<string> {
    return new Set(this.tasks.flatMap(({ callId }) => callId ?? []))
  }

  /** Everything that runs now. Gives back what ran and does not any more. */
  told(running: readonly ReportedTask[]): readonly RunningTask[] {
    const before = this.tasks
    const known = new Map(before.map((task) => [task.taskId, task]))
    this.tasks = running.slice(0, MOST).map(({ outputFile: _, ...task }) => ({
      ...task,
      label: this.clean(task.label.slice(0, LONGEST_LABEL)),
      startedAt: known.get(task.taskId)?.startedAt ?? this.now(),
    }))
    const left = new Set(running.map(({ taskId }) => taskId))
    return before.filter(({ taskId }) => !left.has(taskId))
  }

  /** The program is gone, and they with it: what the log says of them. */
  gone(): SessionEventOf<'system'>[] {
    return this.told([]).map((task) => taskEnded(task))
  }
}

/** A task that did not end by itself: with its program, or because a person stopped it. */
export function taskEnded(
  { taskId, kind, label, callId }: RunningTask,
  why: 'program_ended' | 'stopped' = 'program_ended',
): SessionEventOf<'system'> {
  const data = { why, taskId, kind, label, ...(callId === undefined ? {} : { callId }) }
  return { kind: 'system', subtype: 'background_ended', data }
}
