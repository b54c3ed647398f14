/** What each answer will do on this very backend, in words. Pure. */
import type { PermissionAnswer, PermissionAsk } from '@roundhouse/backend-types'

export function answerWords(ask: PermissionAsk, backend: string): Record<PermissionAnswer, string> {
  const scope = ask.sessionScope
  return {
    allow: 'Runs exactly this, once.',
    allow_session: ask.scopes
      ? '“For session” lets you choose first what it also answers, for up to 8 hours. You can revoke it.'
      : scope
        ? `“For session” also answers the same question for ${scope.label}, for up to 8 hours. You can take it back.`
        : `${backend} gives nothing to scope this by, so “for session” counts once.`,
    deny: ask.canExplainDeny
      ? 'Does not run. The model goes on and reads your reason.'
      : `Does not run. The model goes on. ${backend} takes no reason with the answer; it is told afterwards where that is possible.`,
    abort: 'Does not run, and the turn ends here.',
  }
}
