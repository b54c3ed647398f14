/** Keeps what the program runs beside its turns in log and live text, and stops one of it for a person. */
import { CodedError, type ReportedTask } from '@roundhouse/backend-types'
import type { Journal } from '../journal/journal'
import { progressBlock } from '../program/fit-reports'
import type { ProgramIds } from '../program/program-ids'
import type { ProgramRunner } from '../program/program-runner'
import { type BackgroundTasks, backgroundKey, taskEnded } from './background-tasks'
import type { LiveBlocks } from './live-blocks'
import type { TaskOutputs } from './task-outputs'

export interface BackgroundPorts {
  journal: Journal
  runner: Pick<ProgramRunner, 'running'>
  tasks: BackgroundTasks
  outputs: TaskOutputs
  live: Pick<LiveBlocks, 'discard'>
  ids: Pick<ProgramIds, 'original'>
  changed(): void
}

export class BackgroundControl {
  constructor(private readonly ports: BackgroundPorts) {}

  /** Everything that runs now, by the program's word. */
  told(running: readonly ReportedTask[]): void {
    const { journal, runner, tasks, outputs, live, changed } = this.ports
    for (const { callId } of tasks.told(running)) {
      if (callId !== undefined) live.discard(progressBlock(callId))
    }
    if (runner.running) outputs.told(runner.running.procId, running)
    void journal.write({ meta: { [backgroundKey]: JSON.stringify(tasks.list) } }).catch(() => {})
    changed()
  }

  /** Rejects with `ALREADY_ENDED` if no task with this id runs beside the turns. */
  async stop(taskId: string, commandId: string): Promise<void> {
    const { journal, tasks, ids } = this.ports
    const task = tasks.list.find((one) => one.taskId === taskId)
    const { running } = this.ports.runner
    if (!task || !running) throw new CodedError('ALREADY_ENDED', 'It does not run in the background any more.')
    if (!task.canStop || !running.adapter.stopTask) throw new CodedError('UNSUPPORTED')
    await running.adapter.stopTask(running.process, ids.original(taskId))
    await journal.record([{ ...taskEnded(task, 'stopped'), commandId }])
  }
}
