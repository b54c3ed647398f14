/** Whether what somebody was judged by is theirs still, read at once (AUTH-1). For what writes nothing: sockets, and answers that took time. */
import type { Actor } from './access'
import type { Context } from './context'
import { isSameStanding, requireStill } from './standing'

export interface RightsApi {
  /** Raised with every change that may take rights away, in the transaction that makes it. */
  version(): number
  /** Neither less nor more than before. */
  isAsBefore(actor: Actor): boolean
  /** Throws `AUTH_REQUIRED` or `FORBIDDEN`. */
  requireStill(actor: Actor): void
}

export function createRights({ people, reads, now }: Pick<Context, 'people' | 'reads' | 'now'>): RightsApi {
  return {
    version: () => reads.rightsVersion(),
    isAsBefore: (actor) => isSameStanding(actor, people.standing(actor.credential), now()),
    requireStill: (actor) => requireStill(actor, people.standing(actor.credential), now()),
  }
}
