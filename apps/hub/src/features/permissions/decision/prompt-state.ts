/** The state of a request on this page: open for a decision, on its way, or settled. Pure and exhaustive. */
import type { PermissionAsk, RequestView } from '@roundhouse/backend-types'

export type PromptState =
  | { kind: 'open' }
  | { kind: 'sending' | 'waiting_for_agent' | 'accepted' | 'settled'; text: string }

const decisionNames = {
  action: { allow: 'Allowed', allow_session: 'Allowed for this session', deny: 'Denied', abort: 'Turn stopped' },
  question: { allow: 'Answered', allow_session: 'Answered', deny: 'Declined', abort: 'Turn stopped' },
  plan: { allow: 'Approved', allow_session: 'Approved', deny: 'Sent back to planning', abort: 'Turn stopped' },
} as const

const kindOf = ({ answerFields, plan }: PermissionAsk) => (answerFields ? 'question' : plan ? 'plan' : 'action')

export function promptState(request: RequestView, sending: boolean): PromptState {
  const { ask, decision, outcome } = request
  const what = decision
    ? `${decisionNames[kindOf(ask)][decision.answer]} by ${decision.userName}${decision.device ? ` (${decision.device})` : ''}`
    : ''
  switch (outcome) {
    case 'open':
      break
    case 'applied':
      return { kind: 'settled', text: what || 'Decided.' }
    case 'refused':
      return {
        kind: 'settled',
        text: `${what}, but the machine refused it: it was no longer what had been shown, or its policy forbids it.`,
      }
    case 'expired':
      return {
        kind: 'settled',
        text: what ? `${what}, too late: it had expired.` : 'Expired: nobody decided in time.',
      }
    case 'withdrawn':
      return { kind: 'settled', text: 'The program withdrew its request.' }
    case 'orphaned':
      return {
        kind: 'settled',
        text: what ? `${what}, too late: the program that asked is gone.` : 'The program that asked is gone.',
      }
    case 'superseded':
      return { kind: 'settled', text: 'Replaced by a new request: the action changed.' }
    case 'outcome_unknown':
      return { kind: 'settled', text: `${what}. Whether it ran is unknown.` }
  }
  if (sending) return { kind: 'sending', text: 'Sending…' }
  if (!decision) return { kind: 'open' }
  const waiting = decision.commandState === 'pending' || decision.commandState === 'sent'
  return waiting
    ? { kind: 'waiting_for_agent', text: `${what}. Waiting for the machine.` }
    : { kind: 'accepted', text: `${what}.` }
}
