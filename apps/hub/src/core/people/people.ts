/**
 * How people manage others. Owners manage everybody, admins everybody below an admin, and nobody themselves, so a hub
 * never loses its last owner by mistake. A change of rights reaches every live socket of the person at once.
 */

import { CodedError, type PeopleList, type PersonChange, type PersonView } from '@roundhouse/backend-types'
import { type Actor, agentsOf, requireCan, requireManages } from '../access/access'
import { entryOf } from '../audit/audit'
import { requireAgents } from '../machines/known-agents'
import { requireOwnName } from '../names/display-names'
import type { AuditEntry } from '../ports/audit-store'
import type { PersonRow } from '../ports/people-store'
import { once } from '../writes/once'
import type { PersonTx } from '../writes/write-as'
import { createInvitations, type InvitationsApi, type InvitationsDeps } from './invitations'
import { takeLinksBack } from './made-links'

interface PeopleDeps extends InvitationsDeps {}

export interface PeopleApi extends InvitationsApi {
  list(actor: Actor): Promise<PeopleList>
  change(actor: Actor, userId: string, change: PersonChange): Promise<PersonView>
  /** What the person did stays, under the person's name. */
  remove(actor: Actor, userId: string, idempotencyKey: string): Promise<{ ok: true }>
  /** Ends all logins of the person. */
  signOut(actor: Actor, userId: string, idempotencyKey: string): Promise<PersonView>
}

export function createPeople(deps: PeopleDeps): PeopleApi {
  const { reads } = deps
  return {
    list: async (actor) => {
      requireCan(actor, 'user.manage')
      return { items: (await reads.people.all()).map(personView) }
    },
    change: async (actor, userId, change) => {
      await changePerson(deps, actor, userId, change)
      deps.doorbells.ring('person', { userId })
      return requireView(deps, userId)
    },
    remove: async (actor, userId, key) => {
      await onPerson(deps, { actor, userId, key, action: 'person.remove' }, async (tx) => {
        await takeLinksBack(tx, userId, deps.now())
        await tx.people.delete(userId)
        return {}
      })
      deps.doorbells.ring('person', { userId })
      return { ok: true }
    },
    signOut: async (actor, userId, key) => {
      await onPerson(deps, { actor, userId, key, action: 'person.sign_out' }, async (tx) => {
        await tx.logins.endAll(userId)
        return endTokens(tx, userId)
      })
      deps.doorbells.ring('person', { userId })
      return requireView(deps, userId)
    },
    ...createInvitations(deps),
  }
}

async function changePerson(deps: PeopleDeps, actor: Actor, userId: string, change: PersonChange): Promise<void> {
  requireCan(actor, 'user.manage')
  requireNotSelf(actor, userId)
  const { agents, disabled, name, role } = change
  await requireAgents(deps, agents)
  await deps.writeAs(actor, async (tx) => {
    const person = await tx.people.find(userId)
    if (!person) throw new CodedError('NOT_FOUND', 'Person not found.')
    requireManages(actor, person.role, role ?? person.role)
    const isOther = (role ?? person.role) !== person.role
    await tx.people.update(userId, {
      ...(name === undefined ? {} : { name: requireOwnName(name, await tx.people.namesOfOthers(userId)) }),
      ...(role === undefined ? {} : { role }),
      ...(disabled === undefined ? {} : { banned: disabled }),
    })
    const ended = disabled || isOther ? await endRole(tx, userId, deps.now()) : {}
    if (disabled) await tx.logins.endAll(userId)
    if (agents) await tx.people.setShares(userId, agents, actor.userId, deps.now())
    await requireAnOwner(tx)
    const facts = { ...detailOf(change), ...ended }
    await tx.audit.append(entryOf(actor, 'person.change', userId, facts), deps.now())
  })
}

function detailOf({ agents, ...change }: PersonChange): Record<string, string | number | boolean> {
  const facts = Object.entries(change).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(facts), ...(agents ? { agents: agents.join(' ') } : {}) }
}

interface OnPerson {
  actor: Actor
  userId: string
  key: string
  action: string
}

/** Tokens and links that the person created, or that were created for the person, were judged by the former role. */
async function endRole(tx: PersonTx, userId: string, at: number): Promise<AuditEntry['detail']> {
  await takeLinksBack(tx, userId, at)
  return endTokens(tx, userId)
}

async function endTokens(tx: PersonTx, userId: string): Promise<AuditEntry['detail']> {
  const tokensRemoved = await tx.apiTokens.deleteAll(userId)
  return tokensRemoved > 0 ? { tokensRemoved } : {}
}

type Apply = (tx: PersonTx) => Promise<AuditEntry['detail']>

async function onPerson(deps: PeopleDeps, call: OnPerson, apply: Apply): Promise<void> {
  const { actor, userId, key, action } = call
  requireCan(actor, 'user.manage')
  requireNotSelf(actor, userId)
  await once(deps, { actor, route: `${action} ${userId}`, key, body: {} }, async (tx) => {
    const person = await tx.people.find(userId)
    if (!person) throw new CodedError('NOT_FOUND', 'Person not found.')
    requireManages(actor, person.role)
    const detail = await apply(tx)
    await requireAnOwner(tx)
    await tx.audit.append(entryOf(actor, action, userId, detail), deps.now())
    return {}
  })
}

/** If two owners remove each other at once, one of them gets an error. */
async function requireAnOwner(tx: PersonTx): Promise<void> {
  if ((await tx.people.countOwners()) === 0) throw new CodedError('LAST_OWNER')
}

function requireNotSelf(actor: Actor, userId: string): void {
  if (actor.userId === userId) throw new CodedError('FORBIDDEN', 'Someone else must change this for you.')
}

async function requireView({ reads }: PeopleDeps, userId: string): Promise<PersonView> {
  const row = await reads.people.find(userId)
  if (!row) throw new CodedError('NOT_FOUND', 'Person not found.')
  return personView(row)
}

function personView({ banned, shared, ...row }: PersonRow): PersonView {
  const agents = agentsOf(row.role, shared)
  return { ...row, disabled: banned, agents: agents && [...agents] }
}
