/** What only a host that knows queries can do (CMD-11). One of an earlier release would drop it without a word. */
import { CodedError, type Command, type QueryMethod } from '@roundhouse/backend-types'

/** The query that a command carries out, of those that nothing else did before. */
export function onlyByQuery({ body }: Command): QueryMethod | null {
  if (body.kind === 'files.rewind') return 'rewindFiles'
  const asked =
    body.kind === 'session.create' ? body.settings : body.kind === 'session.configure' ? body.changes : undefined
  return asked?.maxThinkingTokens == null ? null : 'setMaxThinkingTokens'
}

export function queriesUnknown(method: QueryMethod): CodedError {
  const message = 'This session began under an earlier release of the agent. It can do that after its next stop.'
  return new CodedError('UNSUPPORTED', message, { method })
}
