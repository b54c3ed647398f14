/**
 * LINK-4: how long to wait before the next attempt. Most broken links return soon, so the first attempts are quick. Later
 * attempts are rarer, but frequent enough to find a returning hub within 5 s. The jitter spreads a thousand agents. A hub with
 * too many connections says itself how long to wait.
 */

export interface BackoffLimits {
  quickMs: number
  /** So many attempts in a row are quick. */
  quickAttempts: number
  mostMs: number
}

const linkBackoff: BackoffLimits = { quickMs: 400, quickAttempts: 3, mostMs: 3_000 }

/** A person sits before the page and waits: whoever is let in is back within seconds. */
const FOR_A_PERSON = new Set(['AGENT_PENDING', 'AGENT_CLONED', 'AGENT_DISABLED', 'FENCED'])
/** Answers of the hub that time will hardly change: asked again, but rarely. Who has not its key is no hub and may leave the port at once. */
const STUBBORN = new Set(['PROTOCOL_UNSUPPORTED', 'AUTH_FAILED'])
const STUBBORN_MS = 30_000
/** No hub asks for more. */
const LONGEST_TURN_MS = 20_000

export interface Failure {
  /** With which the hub refused. */
  code?: string | undefined
  /** How long the hub asked to wait. */
  retryAfterMs?: number | undefined
}

/** `failures` since a link lived, from 1; `random` lies in [0, 1). */
export function pauseMs({ code = '', retryAfterMs }: Failure, failures: number, random: number): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, LONGEST_TURN_MS)
  if (STUBBORN.has(code)) return spread(STUBBORN_MS, random)
  return FOR_A_PERSON.has(code) ? spread(linkBackoff.mostMs, random) : backoffMs(Math.max(0, failures - 1), random)
}

/** `attempt` counts from 0. */
export function backoffMs(attempt: number, random: number, limits: BackoffLimits = linkBackoff): number {
  const { quickMs, quickAttempts, mostMs } = limits
  const slower = Math.min(20, Math.max(0, attempt - quickAttempts + 1))
  return spread(Math.min(mostMs, quickMs * 2 ** slower), random)
}

const spread = (ceiling: number, random: number): number => Math.round((ceiling * (1 + random)) / 2)

const ANSWER_LIMIT_MS = 10_000
const SHORTEST_LIMIT_MS = 1_000
const KNOWN_LIMIT_MS = 4_000

/**
 * How long the first answer of an attempt may take. A packet that a dead network swallowed would hold the attempt long after
 * the network is back; so a hub that is known to be quick is asked anew soon. `tookMs`: what its last answer took, null
 * where it never gave one; `silences`: attempts since then that it let go by.
 */
export function patienceMs(tookMs: number | null, silences: number): number {
  if (tookMs === null) return ANSWER_LIMIT_MS
  const usual = Math.max(SHORTEST_LIMIT_MS, tookMs * 10)
  return Math.min(ANSWER_LIMIT_MS, Math.max(KNOWN_LIMIT_MS, usual), usual * 2 ** Math.min(20, silences))
}
