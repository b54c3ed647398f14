/**
 * Reads whether the rights by which a person was judged are unchanged (AUTH-1). For work without a transaction:
 * sockets, and answers that took time.
 */

import type { Actor } from '../access/access'
import { isSameStanding, requireStill } from '../access/standing'
import type { Reads } from '../ports/stores'

interface RightsDeps {
  now: () => number
  reads: Pick<Reads, 'hub' | 'people'>
}

export interface RightsApi {
  /** Grows with every change that may take rights away, in the same transaction. */
  version(): Promise<number>
  /** True if the rights are exactly as before. */
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
