/** The result of a session, from its terminal event and what the caller knows beside it. Pure. */
import type { TerminalEvent } from '../contract/event'
import type { Result } from '../contract/result'

type Beside = Omit<Result, 'status' | 'cost' | 'error'>

export function resultOf(terminal: TerminalEvent, beside: Beside): Result {
  if (terminal.kind === 'error') {
    const failureMode = terminal.code ?? beside.failureMode
    return { ...beside, status: 'failed', error: terminal.message, ...(failureMode && { failureMode }) }
  }
  const { success, message, errors, errorSubtype, cost } = terminal
  const known = { ...beside, ...(cost && { cost }) }
  if (success) return { ...known, status: 'completed', ...(message && !beside.summary && { summary: message }) }
  if (errorSubtype === 'stopped' || errorSubtype === 'interrupted') return { ...known, status: 'stopped' }
  const failureMode = errorSubtype ?? beside.failureMode
  return {
    ...known,
    status: 'failed',
    ...(failureMode && { failureMode }),
    ...(errors?.length && { error: errors.join('\n') }),
  }
}
