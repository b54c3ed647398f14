/**
 * What the CLI runs beside its turns: helper agents and shell commands. Two accounts of it come: single steps
 * (`task_started`, `task_updated`, `task_notification`), which name the call, and since 2.1.330 the whole list
 * (`background_tasks_changed`), a moment before the step. A helper that its turn waits for is none of them. The result of
 * its call names the file of a command's output; how it ended is in its `task_notification`.
 */
import {
  type BackendOutput,
  type BackgroundFinished,
  backgroundFinished,
  type ReportedTask,
} from '@roundhouse/backend-types'
import { compact, type Frame, recordAt, recordsAt, textAt } from '../wire/frames'
import { resultText } from './results'
import { outputFileIn } from './task-output'

const over: ReadonlySet<string | undefined> = new Set(['completed', 'failed', 'stopped', 'killed', 'cancelled'])

export interface TaskNews {
  /** Everything that runs beside the turns; absent where that did not change. */
  running?: ReportedTask[]
  /** A task that is over, and the call that started it. */
  ended?: { taskId: string; callId: string | undefined }
}

export class Tasks {
  private readonly running = new Map<string, ReportedTask>()
  /** The calls of all tasks that are not over, also of those that a turn waits for. */
  private readonly calls = new Map<string, string>()

  /** A `system` or `user` frame; most tell nothing of tasks. */
  heard(frame: Frame): TaskNews {
    if (textAt(frame, 'type') === 'user') return this.reported(frame)
    const taskId = textAt(frame, 'task_id')
    switch (textAt(frame, 'subtype')) {
      case 'background_tasks_changed':
        return this.listed(recordsAt(frame, 'tasks'))
      case 'task_started':
        return taskId === undefined ? {} : this.started(taskId, frame)
      case 'task_updated': {
        // Of one in the background the notification follows, which says how it ended.
        const isOver = over.has(textAt(recordAt(frame, 'patch'), 'status'))
        return isOver && !this.running.has(taskId ?? '') ? this.ended(taskId) : {}
      }
      case 'task_notification':
        return this.ended(taskId)
      default:
        return {}
    }
  }

  /** The call is answered, and what it started is still running. */
  runsOn(callId: string): boolean {
    return [...this.running.values()].some((task) => task.callId === callId)
  }

  /** How a task in the background ended, in the frame that `heard` is about to take. */
  finishedBy(frame: Frame): BackendOutput | undefined {
    const task = this.running.get(textAt(frame, 'task_id') ?? '')
    if (!task || textAt(frame, 'subtype') !== 'task_notification') return undefined
    return { kind: 'system', subtype: backgroundFinished, data: finished(task, frame) }
  }

  private started(taskId: string, frame: Frame): TaskNews {
    const callId = textAt(frame, 'tool_use_id')
    if (callId !== undefined) this.calls.set(taskId, callId)
    if (frame.is_backgrounded !== true) return {}
    this.running.set(taskId, taskOf(taskId, frame, callId))
    return this.all()
  }

  private listed(tasks: Frame[]): TaskNews {
    const named = tasks.flatMap((task) => {
      const taskId = textAt(task, 'task_id')
      return taskId === undefined ? [] : [taskOf(taskId, task, this.calls.get(taskId))]
    })
    const ids = new Set(named.map(({ taskId }) => taskId))
    const isSame = ids.size === this.running.size && [...ids].every((taskId) => this.running.has(taskId))
    if (isSame) return {}
    const known = new Map(this.running)
    this.running.clear()
    for (const task of named) this.running.set(task.taskId, { ...known.get(task.taskId), ...task })
    return this.all()
  }

  /** The results of calls. */
  private reported(frame: Frame): TaskNews {
    const found = recordsAt(recordAt(frame, 'message'), 'content').filter((block) => this.namesFile(frame, block))
    return found.length > 0 ? this.all() : {}
  }

  private namesFile(frame: Frame, result: Frame): boolean {
    const callId = textAt(result, 'tool_use_id')
    const task = [...this.running.values()].find((one) => one.kind === 'command' && one.callId === callId)
    if (!task || callId === undefined || task.outputFile) return false
    const sessionId = textAt(frame, 'session_id') ?? ''
    const outputFile = outputFileIn({ taskId: task.taskId, sessionId, text: resultText(result) })
    if (outputFile) this.running.set(task.taskId, { ...task, outputFile })
    return outputFile !== undefined
  }

  private ended(taskId: string | undefined): TaskNews {
    if (taskId === undefined) return {}
    const callId = this.calls.get(taskId)
    this.calls.delete(taskId)
    return { ended: { taskId, callId }, ...(this.running.delete(taskId) ? this.all() : {}) }
  }

  private all(): TaskNews {
    return { running: [...this.running.values()] }
  }
}

function taskOf(taskId: string, frame: Frame, callId: string | undefined): ReportedTask {
  const isHelper = textAt(frame, 'task_type')?.endsWith('agent') === true
  const label = textAt(frame, 'description') ?? taskId
  return compact({ taskId, kind: isHelper ? ('helper' as const) : ('command' as const), label, callId, canStop: true })
}

/** `... failed with exit code 3`, `... completed (exit code 0)`; of a helper that failed, why. */
function finished({ taskId, kind, label, callId }: ReportedTask, frame: Frame): BackgroundFinished {
  const [status, summary] = [textAt(frame, 'status'), textAt(frame, 'summary')]
  const code = kind === 'command' ? /[( ]exit code (\d+)\)?$/.exec(summary ?? '')?.[1] : undefined
  const outcome = status === 'completed' || status === 'failed' ? status : 'stopped'
  const told = code === undefined ? {} : { exitCode: Number(code) }
  const message = outcome === 'failed' && code === undefined ? summary : undefined
  return compact({ taskId, kind, label, callId, outcome, ...told, message })
}
