/**
 * What the person of a webhook may see at this moment (HOOK-4). A webhook is turned on by somebody with a role; if the role is lower
 * now, it stops, as a token of theirs does.
 */
import { Role, type WebhookStop } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { rightsOf } from '../access/standing'
import type { BusApi, BusEye } from '../bus/bus'
import type { WebhookRow } from '../ports/outbound/webhook-store'
import type { Reads } from '../ports/stores'

export interface OwnerSightDeps {
  bus: Pick<BusApi, 'sight'>
  reads: { people: Pick<Reads['people'], 'standing'> }
  now: () => number
}

export type OwnerSight = { stop: WebhookStop } | { stop: null; eye: BusEye }

type Owned = Pick<WebhookRow, 'userId' | 'role' | 'topics'>

export async function ownerSight({ bus, reads, now }: OwnerSightDeps, hook: Owned): Promise<OwnerSight> {
  const credential = { kind: 'person', id: hook.userId } as const
  const rights = rightsOf(await reads.people.standing(credential), now())
  if (!rights) return { stop: 'owner' }
  if (rankOf(rights.role) > rankOf(hook.role)) return { stop: 'demoted' }
  const actor: Actor = { ...rights, name: '', credential }
  return { stop: null, eye: (await bus.sight(actor, hook.topics)) ?? (() => null) }
}

/** The highest is 0. */
const rankOf = (role: Role) => Role.options.indexOf(role)
