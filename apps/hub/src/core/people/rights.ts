/** Whether what somebody was judged by is theirs still, read at once (AUTH-1). For what writes nothing: sockets, and answers that took time. */

import type { Actor } from '../access/access'
import { isSameStanding, requireStill } from '../access/standing'
import type { Reads } from '../ports/stores'

interface RightsDeps {
  now: () => number
  reads: Pick<Reads, 'hub' | 'people'>
}

export interface RightsApi {
  /** Raised with every change that may take rights away, in the transaction that makes it. */
  version(): Promise<number>
  /** Neither less nor more than before. */
  isAsBefore(actor: Actor): Promise<boolean>
  /** Throws `AUTH_REQUIRED` or `FORBIDDEN`. */
  requireStill(actor: Actor): Promise<void>
}

export function createRights({ reads, now }: RightsDeps): RightsApi {
  return {
    version: () => reads.hub.rightsVersion(),
    isAsBefore: async (actor) => isSameStanding(actor, await reads.people.standing(actor.credential), now()),
    requireStill: async (actor) => requireStill(actor, await reads.people.standing(actor.credential), now()),
  }
}
