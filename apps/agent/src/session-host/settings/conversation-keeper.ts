/**
 * Which conversation of the backend this session goes on with, for all who change it. It is kept in memory beside its row:
 * what was said of it in this turn of the event loop is not on the disk yet, and must not be taken back by what was there.
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

  /** The row for the caller's transaction; it counts from now on. */
  goOnWith(next: ConversationState): { meta: NonNullable<LogChange['meta']> } {
    this.state = next
    return { meta: { [conversationKey]: JSON.stringify(next) } }
  }
}
