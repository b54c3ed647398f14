/** Whether what somebody was judged by is theirs still, read at once (AUTH-1). For what writes nothing: sockets, and answers that took time. */

import type { Actor } from '../access/access'
import { isSameStanding, requireStill } from '../access/standing'
import type { PeopleReads } from '../ports/people-ports'
import type { SessionReads } from '../ports/ports'

interface RightsDeps {
  now: () => number
  people: PeopleReads
  reads: SessionReads
}

export interface RightsApi {
  /** Raised with every change that may take rights away, in the transaction that makes it. */
  version(): number
  /** Neither less nor more than before. */
  isAsBefore(actor: Actor): boolean
  /** Throws `AUTH_REQUIRED` or `FORBIDDEN`. */
  requireStill(actor: Actor): void
}

export function createRights({ people, reads, now }: RightsDeps): RightsApi {
  return {
    version: () => reads.rightsVersion(),
    isAsBefore: (actor) => isSameStanding(actor, people.standing(actor.credential), now()),
    requireStill: (actor) => requireStill(actor, people.standing(actor.credential), now()),
  }
}
