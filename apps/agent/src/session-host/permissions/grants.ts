/**
 * The active permissions of the session (PERM-5). They are kept in the log file and survive a planned stop. They end by
 * time, by a person, by a change of the policy, by a crash, and with the session. Both the machine's clock and a
 * monotonic clock measure their time; the first that reaches the end counts.
 */
import {
  type Author,
  chosenScope,
  type Grant,
  type PermissionAsk,
  type SessionEvent,
  type SessionEventOf,
} from '@roundhouse/backend-types'
import { type GrantQuestion, grantCovers, type HeldGrant } from '@roundhouse/delivery'
import type { LogChange } from '../../log/statements'
import { Deadlines, LONGEST_TIMER_MS } from '../journal/deadlines'
import type { Journal } from '../journal/journal'

const GRANT_LIFE_MS = 8 * 3_600_000

export class Grants {
  private held: HeldGrant[]
  private readonly deadlines: Deadlines

  constructor(
    private readonly journal: Journal,
    private readonly now: () => number,
    elapsed?: () => number,
  ) {
    this.deadlines = new Deadlines(now, () => this.expire(), LONGEST_TIMER_MS, elapsed)
    this.held = journal.log.rows.grants().map(({ row }) => JSON.parse(row) as HeldGrant)
    this.watch()
    this.expire()
  }

  covering(question: GrantQuestion): HeldGrant | undefined {
    return this.held.find((grant) => !this.isOver(grant) && grantCovers(grant, question, this.now()))
  }

  private isOver({ grantId }: HeldGrant): boolean {
    return this.deadlines.isOver(grantId)
  }

  /** The grant of an `allow_session`, or null if the request has no scope. It takes effect with `keep`. */
  plan(
    ask: PermissionAsk,
    { scopeId, commandId }: { scopeId?: string | undefined; commandId: string },
    actionDigest: string,
    grantId: string,
  ): HeldGrant | null {
    const chosen = chosenScope(ask, scopeId)
    if (!chosen) return null
    const { scope, label } = chosen
    return { grantId, scope, label, expiresAt: this.now() + GRANT_LIFE_MS, actionDigest, commandId }
  }

  /** Puts the grant in force. The row belongs to the transaction of its event. */
  keep(grant: HeldGrant): Pick<LogChange, 'grants'> {
    this.held = [...this.held, grant]
    this.watch()
    return { grants: [{ grantId: grant.grantId, row: JSON.stringify(grant) }] }
  }

  /** False if this grant does not exist any more. */
  revoke(grantId: string, author: Author, commandId: string): boolean {
    return this.end((grant) => grant.grantId === grantId, { why: 'revoked', author, commandId })
  }

  endAll(why: 'policy' | 'session_ended'): void {
    this.end(() => true, { why })
  }

  /** After a crash the closing events report the grants already; only the rows have to go. */
  forgetAll(): Pick<LogChange, 'grants'> {
    const rows = this.held.map(({ grantId }) => ({ grantId, row: null }))
    this.held = []
    this.watch()
    return { grants: rows }
  }

  dispose(): void {
    this.deadlines.dispose()
  }

  private expire(): void {
    this.end((grant) => this.isOver(grant), { why: 'expired' })
    this.watch()
  }

  private end(
    ends: (grant: HeldGrant) => boolean,
    told: Pick<SessionEventOf<'grant_ended'>, 'why' | 'author' | 'commandId'>,
  ): boolean {
    const ended = this.held.filter(ends)
    if (ended.length === 0) return false
    this.held = this.held.filter((grant) => !ended.includes(grant))
    const events = ended.map(({ grantId }): SessionEvent => ({ kind: 'grant_ended', grantId, ...told }))
    void this.journal.record(events, { grants: ended.map(({ grantId }) => ({ grantId, row: null })) })
    this.watch()
    return true
  }

  private watch(): void {
    this.deadlines.set(this.held.map(({ grantId: id, expiresAt: at }) => ({ id, at, atMostMs: GRANT_LIFE_MS })))
  }
}

/** The parts of a grant that everybody may see. */
export function publicGrant({ actionDigest: _secret, commandId: _decision, ...grant }: HeldGrant): Grant {
  return grant
}
