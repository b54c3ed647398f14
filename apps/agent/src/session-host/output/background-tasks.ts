/**
 * Tracks the helpers and commands that the program runs beside its turns, as the program last reported them (SES-6,
 * LINK-5). Each keeps the time of its first report.
 */
import {
  type BackendOutput,
  type BackgroundFinished,
  backgroundFinished,
  type ReportedTask,
  type RunningTask,
  type SessionEventOf,
} from '@roundhouse/backend-types'
import { endOfText, type Printed } from './task-outputs'

/** Kept in the log's file, so that the recovery after a kill can name the tasks. */
export const backgroundKey = 'background'

const LONGEST_LABEL = 500
const LONGEST_MESSAGE = 2_000
/** An account has room for this many. */
const MOST = 64

/** What runs beside the turns now. */
export class TaskList {
  tasks: readonly RunningTask[] = []

  /** The calls that started them. */
  get callIds(): ReadonlySet<string> {
    return new Set(this.tasks.flatMap(({ callId }) => callId ?? []))
  }
}

export class BackgroundTasks {
  constructor(
    private readonly kept: TaskList,
    private readonly now: () => number,
    private readonly clean: (text: string) => string,
    private readonly printed: PrintedBy,
  ) {}

  get list(): readonly RunningTask[] {
    return this.kept.tasks
  }

  get size(): number {
    return this.kept.tasks.length
  }

  /** The calls that started the tasks. */
  get callIds(): ReadonlySet<string> {
    return this.kept.callIds
  }

  /** Takes the current list. Returns the tasks that no longer run. */
  told(running: readonly ReportedTask[]): readonly RunningTask[] {
    const before = this.kept.tasks
    const known = new Map(before.map((task) => [task.taskId, task]))
    this.kept.tasks = running.slice(0, MOST).map(({ outputFile: _, ...task }) => ({
      ...task,
      label: this.clean(task.label.slice(0, LONGEST_LABEL)),
      startedAt: known.get(task.taskId)?.startedAt ?? this.now(),
    }))
    const left = new Set(running.map(({ taskId }) => taskId))
    return before.filter(({ taskId }) => !left.has(taskId))
  }

  /** The events for the tasks that ended with the program. */
  gone(): SessionEventOf<'system'>[] {
    return this.told([]).map((task) => taskEnded(task, 'program_ended', this.printed(task.callId)))
  }
}

type PrintedBy = (callId: string | undefined) => Printed

/** Adds the output, as the log has it, to the program's report that a task ended. Returns other outputs unchanged. */
export function withPrinted<T extends BackendOutput>(output: T, printed: PrintedBy): T {
  if (output.kind !== 'system' || output.subtype !== backgroundFinished) return output
  const { label, message, output: told, ...data } = output.data as BackgroundFinished
  return {
    ...output,
    data: {
      ...data,
      label: label.slice(0, LONGEST_LABEL),
      ...(message === undefined ? {} : { message: message.slice(0, LONGEST_MESSAGE) }),
      ...(told === undefined ? printed(data.callId) : endOfText(told)),
    },
  }
}

/** The event for a task that ended with its program or because a person stopped it. */
export function taskEnded(
  { taskId, kind, label, callId }: RunningTask,
  why: 'program_ended' | 'stopped' = 'program_ended',
  printed: Printed = {},
): SessionEventOf<'system'> {
  const data = { why, taskId, kind, label, ...(callId === undefined ? {} : { callId }), ...printed }
  return { kind: 'system', subtype: 'background_ended', data }
}
