/** Conversation ids of Claude Code are UUIDs. Anything else after `--resume` would be searched for as a *title*. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isConversationId(value: string): boolean {
  return uuid.test(value)
}
