/** What a caller gives for a run, checked: a refusal has a code, and nothing has started then. Pure. */
import { AgentExecuteParams, CodedError, PROMPT_LIMIT_BYTES, toCodedError } from '@roundhouse/backend-types'

export function readParams(
  { abortSignal: _, ...given }: AgentExecuteParams,
  isBlocked: (variable: string) => boolean,
): AgentExecuteParams {
  const read = AgentExecuteParams.safeParse(given)
  if (!read.success) throw toCodedError(read.error)
  const { prompt, env = {} } = read.data
  if (prompt.trim() === '') throw new CodedError('INVALID_ARGUMENT', 'The prompt is empty.', { field: 'prompt' })
  if (new TextEncoder().encode(prompt).length > PROMPT_LIMIT_BYTES) {
    const limit = `A prompt has at most ${PROMPT_LIMIT_BYTES.toLocaleString('en-US')} bytes.`
    throw new CodedError('PROMPT_TOO_LARGE', limit, { field: 'prompt', limit: PROMPT_LIMIT_BYTES })
  }
  const blocked = Object.keys(env).filter(isBlocked)
  if (blocked.length > 0)
    throw new CodedError('INVALID_ARGUMENT', `A run cannot set: ${blocked.join(', ')}`, { field: 'env' })
  return read.data
}
