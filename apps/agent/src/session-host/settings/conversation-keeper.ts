/**
 * Holds which conversation of the backend this session continues, for all parts that change it. It is kept in memory
 * beside its row: a change of this event-loop turn is not on disk yet, and an older row must not override it.
 */
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import { type ConversationState, conversationKey, parseConversation } from './identity-plan'

export class ConversationKeeper {
  private state: ConversationState

  constructor(journal: Journal) {
    this.state = parseConversation(journal.log.rows.meta(conversationKey))
  }

  get current(): ConversationState {
    return this.state
  }

  /** Returns the row for the caller's transaction. The new state counts at once. */
  goOnWith(next: ConversationState): { meta: NonNullable<LogChange['meta']> } {
    this.state = next
    return { meta: { [conversationKey]: JSON.stringify(next) } }
  }
}
