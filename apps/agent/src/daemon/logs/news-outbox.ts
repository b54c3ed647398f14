/** The results of accepted commands, kept until the hub has confirmed them. The latest result of a command wins. */
import type { CommandAnswer } from '@roundhouse/backend-types'
import type { CommandNewsItem } from '../../hub-link'

/**
 * Beyond this limit the oldest are dropped: the log has the same facts, and a hub that is away for weeks must not fill
 * the memory.
 */
const MOST = 2_000

export class NewsOutbox {
  private readonly items = new Map<string, CommandNewsItem>()

  add(sessionId: string, commandId: string, answer: CommandAnswer): CommandNewsItem {
    const item = { sessionId, commandId, answer }
    this.items.delete(commandId)
    this.items.set(commandId, item)
    const oldest = this.items.keys().next().value
    if (this.items.size > MOST && oldest !== undefined) this.items.delete(oldest)
    return item
  }

  all(): CommandNewsItem[] {
    return [...this.items.values()]
  }

  delivered(item: CommandNewsItem): void {
    if (this.items.get(item.commandId) === item) this.items.delete(item.commandId)
  }
}
