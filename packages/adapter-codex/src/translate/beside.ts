/**
 * What Codex runs beside the turns of the main thread: commands whose turn completed while they ran on, and sub-agents that
 * were at work when it completed. A command goes by the id of its call, a sub-agent by that of its thread.
 */

import { compact } from '@roundhouse/adapter-kit/read'
import type { BackgroundTask } from '@roundhouse/backend-types'
import type { Calls } from './calls'
import { type Effect, finished } from './effects'
import type { Threads } from './threads'
import type { TurnStatus } from './turn'

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

  /** Its turn is over. */
  helperRests(threadId: string, status: TurnStatus): Effect[] {
    if (!this.helpers.delete(threadId)) return []
    return [finished({ ...this.helper(threadId), outcome: status === 'interrupted' ? 'stopped' : status })]
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
    const commands = this.calls.inBackground().map(({ threadId: _, ...task }) => ({ ...task, canStop: true }))
    const helpers = [...this.helpers].map((threadId) => ({ ...this.helper(threadId), canStop: true }))
    return [...commands, ...helpers]
  }

  private helper(threadId: string): Omit<BackgroundTask, 'canStop'> {
    const callId = this.threads.parentCallOf(threadId)
    const label = this.threads.nameOf(threadId) ?? 'sub-agent'
    return compact({ taskId: threadId, kind: 'helper' as const, label, callId })
  }
}
