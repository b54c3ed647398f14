/**
 * Tool calls and their results, each exactly once, the call first. Codex itself leaves calls open: an interrupted
 * command gets no `item/completed`, and a command may outlive its turn in the background. Both are closed here when
 * their turn ends.
 */

import { asNumber, asRecord, asText, compact, type Json } from '@roundhouse/adapter-kit/read'
import type { BackgroundFinished } from '@roundhouse/backend-types'
import { type Effect, finished, nested, output } from './effects'
import { type ToolCall, toolCallOf, toolResultOf } from './items'
import type { TurnStatus } from './turn'

interface OpenCall extends ToolCall {
  threadId: string
  parentCallId: string | undefined
  isCommand: boolean
  /** The last output of a running command. */
  tail: string
  /** It is being ended from here: Codex may say that it is over before it says that it ended it. */
  stopping?: true
}

export interface Place {
  threadId: string
  parentCallId: string | undefined
}

const tailLimit = 16_384

export class Calls {
  private readonly open = new Map<string, OpenCall>()
  /** Commands whose turn completed while they ran on. */
  private readonly background = new Map<string, OpenCall>()
  /** Calls that were closed here; what Codex still says about them is not news. */
  private readonly closed = new Set<string>()

  /** `item/started`. */
  begin(callId: string, item: Json, place: Place): Effect[] {
    const call = toolCallOf(item)
    if (!call || this.isKnown(callId)) return []
    return this.add(callId, call, place, item.type === 'commandExecution')
  }

  /** A call that Codex asks about without ever showing it as an item. */
  beginAsked(callId: string, call: ToolCall, place: Place): Effect[] {
    return this.isKnown(callId) ? [] : this.add(callId, call, place, false)
  }

  /** `item/completed`. */
  complete(callId: string, item: Json, place: Place): Effect[] {
    const runsOn = this.background.get(callId)
    if (runsOn) {
      this.background.delete(callId)
      return [finished({ ...taskOf(callId, runsOn), ...endOf(item, runsOn.stopping === true) })]
    }
    if (this.closed.has(callId)) return []
    const begun = this.open.has(callId) ? [] : this.begin(callId, item, place)
    const { output, isError } = toolResultOf(item)
    return [...begun, ...this.close(callId, output, isError)]
  }

  close(callId: string, result: unknown, isError: boolean, more: { background?: true; stopped?: true } = {}): Effect[] {
    const call = this.open.get(callId)
    if (!call) return []
    this.open.delete(callId)
    const error = isError ? { isError } : {}
    return [output({ kind: 'tool_result', callId, output: result, ...error, ...more, ...nested(call.parentCallId) })]
  }

  /** A patch that is still being written: what a person is asked about must be its latest state. */
  update(callId: string, input: unknown): void {
    const call = this.open.get(callId)
    if (call) call.input = input
  }

  /** The answer to a question without an item is also the result of its call. */
  closeAsked(callId: string, result: unknown, isError: boolean): Effect[] {
    const effects = this.close(callId, result, isError)
    if (effects.length) this.closed.add(callId)
    return effects
  }

  /** Also of a command whose turn is over. */
  progress(callId: string, text: string): Effect[] {
    const call = this.open.get(callId) ?? this.background.get(callId)
    if (!call || text === '') return []
    call.tail = (call.tail + text).slice(-tailLimit)
    return this.progressOf(callId, call, text)
  }

  private progressOf(callId: string, { parentCallId }: OpenCall, text: string): Effect[] {
    return text === '' ? [] : [output({ kind: 'tool_progress', callId, text, ...nested(parentCallId) })]
  }

  /** Closes what the ended turn of this thread left open. */
  endTurn(threadId: string, status: TurnStatus): Effect[] {
    const left = [...this.open].filter(([, call]) => call.threadId === threadId)
    return left.flatMap(([callId, call]) => this.leave(callId, call, status))
  }

  inBackground(): Array<CommandTask & { threadId: string }> {
    return [...this.background].map(([callId, call]) => ({ ...taskOf(callId, call), threadId: call.threadId }))
  }

  /** What a command had printed when its turn ended, to be told again once it is in the list. */
  printed(callId: string): Effect[] {
    const call = this.background.get(callId)
    return call ? this.progressOf(callId, call, call.tail) : []
  }

  stopping(callId: string): void {
    const call = this.background.get(callId)
    if (call) call.stopping = true
  }

  /** It was ended from here; what Codex still says about it is not news. */
  drop(callId: string): Effect[] {
    const call = this.background.get(callId)
    if (!call) return []
    this.background.delete(callId)
    this.closed.add(callId)
    return [finished({ ...taskOf(callId, call), outcome: 'stopped' })]
  }

  get(callId: string): ToolCall | undefined {
    return this.open.get(callId)
  }

  /** The open call of an MCP tool with these arguments. MCP questions do not name the call they are about. */
  findMcp(
    threadId: string,
    toolName: string,
    input: unknown,
    isTaken: (callId: string) => boolean,
  ): string | undefined {
    const wanted = JSON.stringify(input)
    return [...this.open].find(
      ([callId, call]) =>
        call.threadId === threadId &&
        call.toolName === toolName &&
        JSON.stringify(call.input) === wanted &&
        !isTaken(callId),
    )?.[0]
  }

  private isKnown(callId: string): boolean {
    return this.open.has(callId) || this.closed.has(callId) || this.background.has(callId)
  }

  private add(callId: string, call: ToolCall, place: Place, isCommand: boolean): Effect[] {
    this.open.set(callId, { ...call, ...place, isCommand, tail: '' })
    return [output({ kind: 'tool_use', ...call, callId, ...nested(place.parentCallId) })]
  }

  private leave(callId: string, call: OpenCall, status: TurnStatus): Effect[] {
    if (status !== 'interrupted' && call.isCommand) {
      this.background.set(callId, call)
      return this.close(callId, call.tail, false, { background: true })
    }
    this.closed.add(callId)
    const result =
      status === 'interrupted'
        ? this.close(callId, call.tail, true, { stopped: true })
        : this.close(callId, notFinished(call.tail), true)
    return call.isCommand ? [...result, { type: 'terminate', threadId: call.threadId, callId }] : result
  }
}

const notFinished = (tail: string) => `${tail}${tail === '' || tail.endsWith('\n') ? '' : '\n'}(not finished)`

type CommandTask = Pick<BackgroundFinished, 'taskId' | 'kind' | 'label'> & { callId: string }

/** A command goes by the id of its call. */
function taskOf(callId: string, { input }: OpenCall): CommandTask {
  return { taskId: callId, kind: 'command', label: asText(asRecord(input).command) ?? 'command', callId }
}

function endOf(item: Json, stopped: boolean): Pick<BackgroundFinished, 'outcome' | 'exitCode' | 'output'> {
  const output = asText(item.aggregatedOutput) || undefined
  if (stopped) return compact({ outcome: 'stopped' as const, output })
  const exitCode = asNumber(item.exitCode)
  return compact({ outcome: exitCode === 0 ? ('completed' as const) : ('failed' as const), exitCode, output })
}
