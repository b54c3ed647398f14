/** Tool calls of a run that did not run because nobody allowed them: by the log, and what only the program reports. Pure. */
import type { PermissionDenial, SessionEventOf } from '@roundhouse/backend-types'

export interface Denials {
  readonly asked: Readonly<Record<string, string>>
  readonly denials: readonly PermissionDenial[]
  readonly deniedCalls: readonly string[]
}

/** Requests that are open at once, and denials that are listed: a program must not make the result grow. */
const MOST = 256

export function asking(run: Denials, { ask }: SessionEventOf<'permission_requested'>): Partial<Denials> {
  if (Object.keys(run.asked).length >= MOST) return {}
  return { asked: { ...run.asked, [ask.requestId]: ask.toolName } }
}

export function resolved(run: Denials, event: SessionEventOf<'permission_resolved'>): Partial<Denials> {
  const { [event.requestId]: tool = 'unknown', ...asked } = run.asked
  const reason = reasonOf(event)
  return { asked, ...(reason === null ? {} : denied(run, { tool, reason, callId: event.callId })) }
}

export function deniedByProgram(run: Denials, { denials = [] }: SessionEventOf<'turn_completed'>): Partial<Denials> {
  let all: Pick<Denials, 'denials' | 'deniedCalls'> = run
  for (const { toolName, reason, callId } of denials)
    all = { ...all, ...denied(all, { tool: toolName, reason, callId }) }
  return { denials: all.denials, deniedCalls: all.deniedCalls }
}

interface Denied {
  tool: string
  reason: string | undefined
  callId: string | undefined
}

function denied(
  { denials, deniedCalls }: Pick<Denials, 'denials' | 'deniedCalls'>,
  { tool, reason, callId }: Denied,
): Partial<Denials> {
  if (denials.length >= MOST || (callId !== undefined && deniedCalls.includes(callId))) return {}
  return {
    denials: [...denials, { tool, ...(reason ? { reason } : {}) }],
    ...(callId === undefined ? {} : { deniedCalls: [...deniedCalls, callId] }),
  }
}

/** Null: it was not denied. Empty: nobody said why. */
function reasonOf({ outcome, decision, reason, pattern, rule, refusedBy }: SessionEventOf<'permission_resolved'>) {
  if (outcome === 'expired') return 'expired'
  if (outcome === 'refused') return pattern ?? rule ?? refusedBy ?? ''
  const isDenied = outcome === 'applied' && (decision === 'deny' || decision === 'abort')
  return isDenied ? (reason ?? '') : null
}
