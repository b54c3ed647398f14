/**
 * The model's to-do list. Claude Code has two tools for it: `TodoWrite` carries the whole list, the later `TaskCreate`
 * and `TaskUpdate` change one item each, and the id of a new item is only in the result of its creation. A call that failed
 * changed nothing: models call these tools where the program has them disabled, too.
 */
import type { PlanItem } from '@roundhouse/backend-types'
import { asRecord, type Frame, recordAt, recordsAt, textAt } from '../wire/frames'

type Status = PlanItem['status']

const tools = ['TodoWrite', 'TaskCreate', 'TaskUpdate']

export class PlanTracker {
  private readonly items: Map<string, PlanItem>
  private readonly open = new Map<string, { toolName: string; input: Frame }>()

  /** `stored`: what the conversation had before this process, by the number of each. */
  constructor(stored: Iterable<readonly [id: string, item: PlanItem]> = []) {
    this.items = new Map(stored)
  }

  /** Another conversation begins. */
  clear(): void {
    this.items.clear()
  }

  used(callId: string, toolName: string, input: unknown): void {
    const record = asRecord(input)
    if (record && tools.includes(toolName)) this.open.set(callId, { toolName, input: record })
  }

  /** The new list, where this result changed it. `detail` is the CLI's structured result. */
  finished(callId: string, isError: boolean, detail: Frame | undefined): PlanItem[] | undefined {
    const call = this.open.get(callId)
    this.open.delete(callId)
    if (!call || isError) return undefined
    if (call.toolName === 'TodoWrite') return written(call.input)
    return call.toolName === 'TaskCreate' ? this.created(call.input, detail) : this.updated(call.input)
  }

  private created(input: Frame, detail: Frame | undefined): PlanItem[] | undefined {
    const id = textAt(recordAt(detail, 'task'), 'id')
    if (id === undefined) return undefined
    this.items.set(id, { text: textAt(input, 'subject') ?? '', status: 'pending' })
    return [...this.items.values()]
  }

  private updated(input: Frame): PlanItem[] | undefined {
    const id = textAt(input, 'taskId')
    if (id === undefined) return undefined
    if (textAt(input, 'status') === 'deleted') this.items.delete(id)
    else {
      const before = this.items.get(id) ?? { text: `#${id}`, status: 'pending' as const }
      const text = textAt(input, 'subject') ?? before.text
      this.items.set(id, { text, status: statusOf(textAt(input, 'status')) ?? before.status })
    }
    return [...this.items.values()]
  }
}

function written(input: Frame): PlanItem[] {
  return recordsAt(input, 'todos').map((todo) => ({
    text: textAt(todo, 'content') ?? '',
    status: statusOf(textAt(todo, 'status')) ?? 'pending',
  }))
}

export function statusOf(word: string | undefined): Status | undefined {
  return word === 'pending' || word === 'in_progress' || word === 'completed' ? word : undefined
}
