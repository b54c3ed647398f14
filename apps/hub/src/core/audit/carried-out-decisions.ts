/**
 * Checks each decision that a machine carried out by a command of this hub for its row in the audit log (T51).
 * `DecisionWalk` finds missing rows from the register of requests. A command that somebody wrote into the file by hand
 * leaves nothing in that register and is found here.
 */
import { parseEventBody, type SessionEventKind, type StoredEvent } from '@roundhouse/backend-types'
import type { Log } from '../common/log'
import type { Follower, FollowerWrite } from '../followers/follower'
import type { AppendEntry } from '../ports/append-store'
import type { AuditStore, CarriedOut } from '../ports/audit-store'
import { hubItself, refusalOf } from './audit'

export class CarriedOutDecisions implements Follower {
  readonly name = 'carried-out-decisions'
  readonly kinds: ReadonlySet<SessionEventKind> = new Set(['permission_resolved'])

  constructor(
    private readonly reads: Pick<AuditStore, 'unrecorded'>,
    private readonly now: () => number,
    private readonly log: Pick<Log, 'error'>,
  ) {}

  async take(entries: readonly AppendEntry[]): Promise<FollowerWrite | null> {
    const carriedOut = entries.flatMap((entry) =>
      entry.kind === 'events' ? entry.events.flatMap((event) => carriedOutBy(entry.sessionId, event)) : [],
    )
    const unrecorded = carriedOut.length > 0 ? await this.reads.unrecorded(carriedOut) : []
    if (unrecorded.length === 0) return null
    for (const decision of unrecorded)
      this.log.error({ ...decision }, 'A DECISION WAS CARRIED OUT THAT NOBODY IS ON RECORD FOR')
    return async (tx) => {
      for (const { requestId, ...detail } of unrecorded) {
        await tx.audit.append(refusalOf(hubItself, 'permission.unrecorded', requestId, detail), this.now())
      }
    }
  }
}

function carriedOutBy(sessionId: string, { body, seq }: StoredEvent): CarriedOut[] {
  const event = parseEventBody(body)
  if (event?.kind !== 'permission_resolved' || event.commandId === undefined) return []
  const { requestId, commandId } = event
  return [{ requestId, commandId, sessionId, seq }]
}
