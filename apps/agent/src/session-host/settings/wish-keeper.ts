/**
 * Holds whether this session resumes by itself (RES-3), for all parts that change it. It is kept in memory beside its
 * row: a change of this event-loop turn is not on disk yet.
 */
import { nextWish, parseWish, type ResumeNews, type ResumeWish, resumeWishKey, wishRow } from '../../log/resume-wish'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import type { ResumeHint } from './resume-hint'

export interface WishPorts {
  journal: Journal
  hint: ResumeHint
  autoResume(): boolean
  now(): number
  changed?(): void
}

type Death = Extract<ResumeNews, { now: number }>['kind']
export type WishNews = Death | Exclude<ResumeNews['kind'], Death>

export class WishKeeper {
  private wish: ResumeWish

  constructor(private readonly ports: WishPorts) {
    this.wish = parseWish(ports.journal.log.rows.meta(resumeWishKey))
  }

  get current(): ResumeWish {
    return this.wish
  }

  /** Returns the row for the caller's transaction, or nothing if nothing changes. The new state counts at once. */
  after(kind: WishNews): Pick<LogChange, 'meta'> {
    const { hint, autoResume, now, changed } = this.ports
    const next = nextWish(
      this.wish,
      kind === 'died' || kind === 'found_at_rest' ? { kind, autoResume: autoResume(), now: now() } : { kind },
    )
    if (next.phase === 'waits' || next.phase === 'begun') hint.need()
    else hint.release()
    if (JSON.stringify(next) === JSON.stringify(this.wish)) return {}
    this.wish = next
    changed?.()
    return { meta: wishRow(next) }
  }
}
