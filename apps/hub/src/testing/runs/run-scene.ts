/** A hub with one machine, and runs on it that say what a test lets them say. */
import type { RunEvent, RunRequest, SessionEvent, SessionEventOf } from '@roundhouse/backend-types'
import type { Actor } from '../../core'
import type { FakeAgent } from '../fake-agent'
import { created, settings } from '../scenario'
import { ana, TestHub, type TestHubOptions } from '../test-hub'

export const turn = { turnId: 't1', procId: 'p1' }
export const begins: SessionEventOf<'turn_started'> = {
  kind: 'turn_started',
  ...turn,
  trigger: 'prompt',
  promptId: 'q1',
}
export const says = (text: string): SessionEvent => ({ kind: 'assistant_text', ...turn, text })
export const completes: SessionEvent = { kind: 'turn_completed', ...turn, reason: 'completed', cost: 0.25 }

export class RunScene {
  private constructor(
    readonly hub: TestHub,
    public agent: FakeAgent,
  ) {}

  static async start(options?: TestHubOptions): Promise<RunScene> {
    const hub = await TestHub.start(options)
    return new RunScene(hub, await hub.connectedAgent())
  }

  readonly settings = settings

  get runs() {
    return this.hub.core.runs
  }

  request(change: Partial<RunRequest> = {}): RunRequest {
    return { agentId: this.agent.agentId, ...settings, prompt: 'Say hello.', onPermission: 'wait', ...change }
  }

  async running(change: Partial<RunRequest> = {}, actor: Actor = ana): Promise<string> {
    const runId = await this.runs.create(actor, this.request(change), this.hub.key())
    await this.begun(runId)
    return runId
  }

  /** Taken by its machine, its turn begun: head 2. */
  async begun(runId: string): Promise<void> {
    const made = () => this.agent.commands.find((command) => command.sessionId === runId)
    await this.agent.waiter.until(() => made() !== undefined)
    const commandId = made()?.commandId ?? ''
    await this.agent.emit(runId, { ...created(this.agent.log(runId).logId), commandId }, { ...begins, commandId })
  }

  commandsOf(runId: string, kind: string) {
    return this.agent.commands.filter((command) => command.sessionId === runId && command.body.kind === kind)
  }

  /** Until the run is over. */
  async followed(runId: string, after?: string, actor: Actor = ana): Promise<RunEvent[]> {
    const all: RunEvent[] = []
    for await (const lot of await this.runs.follow(actor, runId, after)) all.push(...lot)
    return all
  }

  stop = () => this.hub.stop()
}
