/**
 * RES-3: whether a session resumes by itself, and when. The log holds it, so that the limit of three attempts also
 * holds across crashes: the transaction that records the end of a program also records the next wish. Pure.
 *
 *   none ─ its program dies ─► waits ─ its time has come, and it has a place ─► begun ─ the program is spawned ─► none
 *                                ▲                                                │
 *                                └──────── it died, or could not be started ──────┘   after the third: none
 *   any ─ a person stops it ─► stopped ─ the next spawn ─► none
 */
import { z } from 'zod'

const Tries = z.number().int().min(0)
export const ResumeWish = z.discriminatedUnion('phase', [
  z.object({ phase: z.literal('none'), tries: Tries }),
  /** Attempt `tries` is due at that time. */
  z.object({ phase: z.literal('waits'), tries: Tries, at: z.number() }),
  /** The attempt is on its way to a spawn. */
  z.object({ phase: z.literal('begun'), tries: Tries }),
  /** A person ended the program, so its end is no crash. */
  z.object({ phase: z.literal('stopped'), tries: Tries }),
])
export type ResumeWish = z.infer<typeof ResumeWish>

/** The row in the log's `meta`. */
export const resumeWishKey = 'resumeWish'

const waitsMs = [1_000, 4_000, 16_000] as const
const MOST_RESUMES = waitsMs.length

export type ResumeNews =
  /** Its program exited, or an automatic start failed. */
  | { kind: 'died'; autoResume: boolean; now: number }
  /** The next host found no running program of the session. */
  | { kind: 'found_at_rest'; autoResume: boolean; now: number }
  | { kind: 'begun' }
  | { kind: 'spawned' }
  | { kind: 'turn_completed' }
  | { kind: 'stopped' }
  /** The person withdrew the choice, or the machine's policy forbids it. */
  | { kind: 'unwanted' }
  /** Nobody knows what was attempted or stopped in the lost part of the log. */
  | { kind: 'log_lost' }

export function nextWish(wish: ResumeWish, news: ResumeNews): ResumeWish {
  const { tries, phase } = wish
  switch (news.kind) {
    case 'died':
      return phase === 'waits' || phase === 'stopped' ? wish : wishAfterDeath(tries, news)
    case 'found_at_rest':
      return phase === 'begun' ? wishAfterDeath(tries, news) : wish
    case 'begun':
      return phase === 'waits' ? { phase: 'begun', tries } : wish
    case 'spawned':
      return { phase: 'none', tries }
    case 'turn_completed':
      return { ...wish, tries: 0 }
    case 'stopped':
      return { phase: 'stopped', tries }
    case 'unwanted':
      return phase === 'stopped' ? wish : { phase: 'none', tries }
    case 'log_lost':
      return { phase: phase === 'stopped' ? phase : 'none', tries: MOST_RESUMES }
  }
}

function wishAfterDeath(tries: number, { autoResume, now }: { autoResume: boolean; now: number }): ResumeWish {
  const wait = waitsMs[tries]
  if (!autoResume || wait === undefined) return { phase: 'none', tries }
  return { phase: 'waits', tries: tries + 1, at: now + wait }
}

/** The remaining wait, never longer than the longest pause even if the clock was set back. */
export function waitOf(at: number, now: number): number {
  return Math.min(Math.max(0, at - now), waitsMs[MOST_RESUMES - 1] ?? 0)
}

/** A log of an earlier version asks for nothing. */
export function parseWish(text: string | null): ResumeWish {
  return text === null ? { phase: 'none', tries: 0 } : ResumeWish.parse(JSON.parse(text))
}

export const wishRow = (wish: ResumeWish): { [resumeWishKey]: string } => ({ [resumeWishKey]: JSON.stringify(wish) })
