/**
 * Decides which conversation of the backend the next spawn continues (RES-8). What is known of the id is on disk before
 * the spawn, so the next host finds a spawn that died half-way.
 *
 *   none ─ spawn with an id of ours ─► minted ─ session_started ─► provisional | durable
 *                                        └─ died before: resume once, then a fresh id
 *   provisional ─ a turn is over ─► durable          durable: its loss is RESUME_UNAVAILABLE, and a person decides
 *   any ─ the program continues under another id ─► provisional | durable, with that id
 */
export type ConversationState =
  | { state: 'none' }
  | { state: 'minted' | 'provisional' | 'durable'; backendSessionId: string }

export const conversationKey = 'conversation'

export interface StartPlan {
  resumeId?: string
  newSessionId?: string
  /** The backend may not know the id; a fresh conversation then loses nothing. */
  freshIfUnknown: boolean
  /** Must be on disk before the spawn. */
  before: ConversationState
}

export function planStart(conversation: ConversationState, mint: (() => string) | undefined): StartPlan {
  if (conversation.state === 'none') {
    const minted = mint?.()
    if (minted === undefined) return { freshIfUnknown: false, before: conversation }
    return { newSessionId: minted, freshIfUnknown: false, before: { state: 'minted', backendSessionId: minted } }
  }
  const freshIfUnknown = conversation.state !== 'durable'
  return { resumeId: conversation.backendSessionId, freshIfUnknown, before: conversation }
}

export function conversationStarted(backendSessionId: string, provisional: boolean): ConversationState {
  return { state: provisional ? 'provisional' : 'durable', backendSessionId }
}

export function turnOver(conversation: ConversationState): ConversationState {
  return conversation.state === 'provisional' ? { ...conversation, state: 'durable' } : conversation
}

export function parseConversation(text: string | null): ConversationState {
  return text === null ? { state: 'none' } : (JSON.parse(text) as ConversationState)
}
