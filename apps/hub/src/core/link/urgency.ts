/** Decides which events change what people wait for. The others only move the last line and the head. */
import type { SessionEvent, SessionEventKind } from '@roundhouse/backend-types'

const table: Readonly<Record<SessionEventKind, 'now' | 'later'>> = {
  session_created: 'now',
  session_started: 'now',
  session_configured: 'now',
  turn_started: 'now',
  user_message: 'now',
  assistant_text: 'later',
  thinking: 'later',
  tool_use: 'later',
  tool_result: 'later',
  plan: 'later',
  system: 'later',
  permission_requested: 'now',
  permission_resolved: 'now',
  grant_ended: 'now',
  token_budget_warning: 'later',
  turn_completed: 'now',
  process_exited: 'now',
  session_ended: 'now',
  published: 'later',
  session_request: 'later',
  gap: 'now',
}

export function urgencyOf(events: readonly SessionEvent[]): 'now' | 'later' {
  return events.some((event) => table[event.kind] === 'now') ? 'now' : 'later'
}
