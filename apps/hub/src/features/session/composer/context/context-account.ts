/** What a session's context holds, how far it is from its limit, and what was done to make room. Pure. */
import type { SessionEvent, SessionView } from '@roundhouse/backend-types'

export interface ContextStep {
  key: number
  at: number
  text: string
}

export interface ContextAccount {
  used: number
  total: number
  /** What the model may write at most; undefined where nobody has said. */
  answer?: number
  /** The window less the answer. */
  limit?: number
  /** Negative: more is used than the limit. */
  left?: number
  /** In which the answer limit went down, warnings came and the conversation was compacted, oldest first. */
  steps: ContextStep[]
}

type Seen = { seq: number; at: number; event: SessionEvent }
type Session = {
  contextUsage?: SessionView['contextUsage']
  settings: Pick<SessionView['settings'], 'maxOutputTokens'>
}

export function contextAccount({ contextUsage, settings }: Session, events: readonly Seen[]): ContextAccount {
  const warning = events.findLast(({ event }) => event.kind === 'token_budget_warning')?.event
  const warned = warning?.kind === 'token_budget_warning' ? warning : undefined
  const { used, total } = contextUsage ?? { used: warned?.used ?? 0, total: windowOf(warned) }
  const answer = settings.maxOutputTokens ?? warned?.maxOutputTokens
  const limit = answer === undefined || total === 0 ? undefined : total - answer
  return {
    used,
    total,
    ...(answer === undefined ? {} : { answer }),
    ...(limit === undefined ? {} : { limit, left: limit - used }),
    steps: events.flatMap(({ seq, at, event }) => {
      const text = stepOf(event)
      return text === null ? [] : [{ key: seq, at, text }]
    }),
  }
}

const windowOf = (warned: { hardLimit: number; maxOutputTokens: number } | undefined): number =>
  warned === undefined ? 0 : warned.hardLimit + warned.maxOutputTokens

function stepOf(event: SessionEvent): string | null {
  switch (event.kind) {
    case 'token_budget_warning':
      return `Nearly full: ${plain(event.used)} of ${tokens(event.hardLimit)}, ${distance(event.distanceToHard)}`
    case 'session_configured': {
      const limit = event.changes.maxOutputTokens
      if (limit === undefined) return null
      return event.by === 'ladder' ? `Answer limit lowered to ${tokens(limit)}` : `Answer limit set to ${tokens(limit)}`
    }
    case 'system': {
      if (!/compact/i.test(event.subtype)) return null
      const { status, tokensBefore, tokensAfter } = (event.data ?? {}) as Record<string, unknown>
      if (status === 'started') return null
      const known = typeof tokensBefore === 'number' && typeof tokensAfter === 'number'
      return known ? `Compacted from ${plain(tokensBefore)} to ${tokens(tokensAfter)}` : 'Compacted'
    }
    default:
      return null
  }
}

const plain = (count: number): string => count.toLocaleString('en-US')

export const tokens = (count: number): string => `${plain(count)} tokens`

export const distance = (left: number): string => (left < 0 ? `${plain(-left)} too many` : `${plain(left)} left`)
