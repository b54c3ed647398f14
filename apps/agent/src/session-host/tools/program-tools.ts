/** What each tool does. The input comes from a model, so it is checked here, and what is wrong with it is said to the model. */
import { randomUUID } from 'node:crypto'
import { CodedError, type OwnTool } from '@roundhouse/backend-types'
import { askingKinds } from '@roundhouse/bus'
import { isTool, type ToolInput, toolInputs, treeTools } from '../../tool-contract/tools'
import { toldCommand } from './command-line'
import type { HubCalls } from './hub-calls'
import type { Publisher } from './publisher'
import type { CalledTool } from './tool-server'
import type { OrchestratorCommand, Waited, WaitingCalls } from './waiting-calls'

export interface ToolPorts {
  publisher: Publisher
  hub: HubCalls
  waiting: WaitingCalls
  /** Commands that wait as prompts: from now on the caller has them, and no turn begins with them. */
  takeQueued(): Promise<OrchestratorCommand[]>
}

export class ProgramTools {
  constructor(private readonly ports: ToolPorts) {}

  async call({ callId, tool, input, withdrawn }: CalledTool): Promise<unknown> {
    if (!isTool(tool)) throw new CodedError('NOT_FOUND', `There is no tool "${tool}".`, { tool })
    switch (tool) {
      case 'publish_event':
        return this.event(callId, read(tool, input))
      case 'publish_phase':
        return this.phase(callId, read(tool, input))
      case 'complete':
        return this.complete(callId, read(tool, input))
      case 'ask_orchestrator':
        return this.ask(callId, read(tool, input), withdrawn)
      case 'read_commands':
        return this.commands(read(tool, input), withdrawn)
      case 'spawn_session':
      case 'send_message':
      case 'read_session':
      case 'wait_sessions':
        return this.ports.hub.ask({ requestId: callId, verb: treeTools[tool], input: read(tool, input), withdrawn })
    }
  }

  private async event(id: string, { kind, message, severity, request_id, data }: ToolInput<'publish_event'>) {
    const asks = askingKinds.includes(kind)
    const requestId = request_id ?? (asks ? newRequestId() : undefined)
    const published = await this.ports.publisher.publish({
      id,
      name: 'event',
      schema: 'worker-event-v1',
      correlationId: requestId,
      data: {
        kind,
        severity: severity ?? usualSeverity[kind] ?? 'info',
        message,
        ...(requestId === undefined ? {} : { request_id: requestId }),
        ...(data ? { data } : {}),
      },
    })
    return { ...published, ...(requestId === undefined ? {} : { request_id: requestId }) }
  }

  private phase(id: string, { phase, reason = '', metadata }: ToolInput<'publish_phase'>) {
    return this.ports.publisher.enter(id, phase, reason, metadata)
  }

  private complete(id: string, { result = 'ok', summary, artifacts = [] }: ToolInput<'complete'>) {
    const { publisher } = this.ports
    const data = { result, summary, artifacts, phases_completed: publisher.phasesCompleted }
    return publisher.publish({ id, name: 'complete', schema: 'worker-complete-v1', data })
  }

  private async ask(id: string, asked: ToolInput<'ask_orchestrator'>, withdrawn: AbortSignal) {
    const { kind = 'REQUEST', message, options, request_id: requestId = newRequestId(), data, timeout_seconds } = asked
    const { waiting } = this.ports
    if (waiting.has(requestId))
      throw new CodedError('INVALID_ARGUMENT', 'A call with this request_id waits already.', { field: 'request_id' })
    const unasked = new AbortController()
    // First: the answer may come as soon as the question is on its way.
    const signal = AbortSignal.any([withdrawn, unasked.signal])
    const answer = waiting.wait(requestId, signal, millis(timeout_seconds))
    const details = { ...data, ...(options ? { request_type: 'decision', options } : {}) }
    const more = Object.keys(details).length === 0 ? {} : { data: details }
    await this.event(id, { kind, message, request_id: requestId, ...more }).catch((error) => {
      unasked.abort()
      throw error
    })
    return { request_id: requestId, ...told(await answer) }
  }

  private async commands({ wait = false, timeout_seconds }: ToolInput<'read_commands'>, withdrawn: AbortSignal) {
    const { waiting, takeQueued } = this.ports
    const queued = await takeQueued()
    if (queued.length > 0 || !wait) return { commands: queued.map(toldCommand) }
    const waited = await waiting.wait(null, withdrawn, millis(timeout_seconds))
    return { commands: waited.kind === 'command' ? [toldCommand(waited.command)] : [] }
  }
}

const usualSeverity: Readonly<Record<string, string>> = { ERROR: 'error', BLOCKED: 'warn' }

const newRequestId = () => `r_${randomUUID().replaceAll('-', '')}`

const millis = (seconds: number | undefined) => (seconds === undefined ? undefined : Math.ceil(seconds * 1_000))

function read<T extends OwnTool>(tool: T, input: unknown): ToolInput<T> {
  return toolInputs[tool].parse(input ?? {}) as ToolInput<T>
}

function told(waited: Waited): Record<string, unknown> {
  switch (waited.kind) {
    case 'command':
      return { answered: true, ...toldCommand(waited.command) }
    case 'timeout':
      return {
        answered: false,
        why: 'Nobody answered in this time. The request stays open; its answer reaches you later.',
      }
    case 'withdrawn':
      throw new CodedError('REQUEST_GONE', 'The turn ended before somebody answered.')
  }
}
