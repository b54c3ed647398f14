/**
 * What Codex runs beside the turns of the main thread: commands whose turn completed while they ran on, and sub-agents that
 * were at work when it completed. A command goes by the id of its call, a sub-agent by that of its thread.
 */
import type { BackgroundTask } from '@roundhouse/backend-types'
import type { Calls } from './calls'
import type { Effect } from './effects'
import { compact } from './read'
import type { Threads } from './threads'

export class Beside {
  private readonly helpers = new Set<string>()
  private told: readonly BackgroundTask[] = []

  constructor(
    private readonly calls: Calls,
    private readonly threads: Threads,
  ) {}

  helperGoesOn(threadId: string): void {
    this.helpers.add(threadId)
  }

  helperRests(threadId: string): void {
    this.helpers.delete(threadId)
  }

  /** The whole list, where it changed, and what commands that are new in it printed before. */
  news(): Effect[] {
    const running = this.list()
    if (JSON.stringify(running) === JSON.stringify(this.told)) return []
    const known = new Set(this.told.map(({ taskId }) => taskId))
    this.told = running
    const added = running.filter(({ taskId, kind }) => kind === 'command' && !known.has(taskId))
    return [{ type: 'background', running }, ...added.flatMap(({ taskId }) => this.calls.printed(taskId))]
  }

  private list(): BackgroundTask[] {
    const commands = this.calls.inBackground().map(({ callId, command }): BackgroundTask => {
      return { taskId: callId, kind: 'command', label: command, callId, canStop: true }
    })
    const helpers = [...this.helpers].map((threadId): BackgroundTask => {
      const callId = this.threads.parentCallOf(threadId)
      return compact({ taskId: threadId, kind: 'helper' as const, label: 'sub-agent', callId, canStop: true })
    })
    return [...commands, ...helpers]
  }
}
