/** Describes what each decision does on this backend. Pure. */
import type { Decision, PermissionAsk } from '@roundhouse/backend-types'
import { sessionWords } from './session-words'

export function decisionWords(ask: PermissionAsk, backend: string): Record<Decision | 'edit' | 'always', string> {
  return {
    allow: 'Runs exactly this, once.',
    allow_session: ask.scopes
      ? 'Runs this, and allows what you choose next for up to 8 hours. You can revoke it.'
      : sessionWords(ask, backend),
    always: `Runs this, and leaves a rule on the machine: what you choose next runs without asking in all sessions of ${backend} in this folder, for 30 days. You can revoke it.`,
    edit: 'You change the input first. What runs is your version, once.',
    deny: ask.canExplainDeny
      ? 'Does not run. The model goes on and reads your reason.'
      : `Does not run. ${backend} goes on without it, or ends its turn. It takes no reason with the decision; the reason follows as a text where it can be steered.`,
    abort: 'Does not run, and the turn ends here.',
  }
}
