/**
 * One-time links that create an account, or set a new password for a person who lost it. Hashed at rest, and shown once
 * to their creator. The caller cannot tell the failures apart; the audit log can.
 */

import {
  type AcceptInvitation,
  CodedError,
  type InvitationMade,
  type InvitationRequest,
  type InvitationView,
  type Role,
} from '@roundhouse/backend-types'
import { type Actor, mayManage, requireCan, requireManages } from '../access/access'
import type { Caller } from '../access/caller'
import { type Doer, entryOf, refusalOf, stranger } from '../audit/audit'
import type { OwnHub } from '../common/hub-identity'
import { judgeSecret, oneUseState } from '../common/one-use'
import { makeToken, parseToken } from '../common/secret-token'
import { ShownOnce } from '../common/shown-once'
import type { Doorbells } from '../doorbells/doorbells'
import { requireAgents } from '../machines/known-agents'
import { requireOwnName } from '../names/display-names'
import type { Accounts } from '../ports/accounts'
import type { InvitationRow } from '../ports/invitation-store'
import type { Reads, Transactions, WriteTx } from '../ports/stores'
import { type OnceDeps, once } from '../writes/once'
import type { PersonTx } from '../writes/write-as'
import { takeLinksBack } from './made-links'

export interface InvitationsDeps extends OnceDeps {
  accounts: Accounts
  doorbells: Doorbells
  hub: OwnHub
  reads: Pick<Reads, 'invitations' | 'machines' | 'people'>
  transactions: Transactions
}

export interface InvitationsApi {
  invite(actor: Actor, request: InvitationRequest, idempotencyKey: string): Promise<InvitationMade>
  /** Creates a link with which the person sets a new password. */
  recover(actor: Actor, userId: string, idempotencyKey: string): Promise<InvitationMade>
  invitations(actor: Actor): Promise<{ items: InvitationView[] }>
  revokeInvitation(actor: Actor, invitationId: string, idempotencyKey: string): Promise<{ ok: true }>
  /** Public. Throws `INVITATION_INVALID`, or the objection of the password keeper. */
  accept(caller: Caller, request: AcceptInvitation): Promise<{ email: string }>
}

const LIFE_MS = 3 * 24 * 3_600_000
const LISTED = 100

export function createInvitations(deps: InvitationsDeps): InvitationsApi {
  const { now, reads } = deps
  const shown = new ShownOnce(now)
  const make = async (
    call: { actor: Actor; route: string; key: string; body: unknown },
    what: (tx: PersonTx) => Promise<Wanted>,
  ) => {
    const kept = await once(deps, call, async (tx) => {
      const { token, ...made } = await insertInvitation(deps, tx, call.actor, await what(tx))
      shown.keep(made.invitationId, token, made.expiresAt)
      return made
    })
    const token = shown.require(kept.invitationId, { invitationId: kept.invitationId })
    return { ...kept, link: `${deps.hub.urls()[0] ?? ''}/invitation#${token}` } satisfies InvitationMade
  }
  return {
    invite: async (actor, request, key) => {
      requireManages(actor, request.role)
      await requireAgents(deps, request.agents)
      const call = { actor, route: 'person.invite', key, body: request }
      return make(call, async (tx) => {
        if (await tx.people.hasEmail(request.email)) throw new CodedError('EMAIL_TAKEN')
        return { ...request, userId: null, mayReplace: (role) => mayManage(actor, role) }
      })
    },
    recover: async (actor, userId, key) => {
      const person = await reads.people.find(userId)
      requireCan(actor, 'user.manage')
      if (!person) throw new CodedError('NOT_FOUND', 'Person not found.')
      requireManages(actor, person.role)
      const { email, role } = person
      return make({ actor, route: `person.recover ${userId}`, key, body: {} }, async (tx) => {
        requireManages(actor, (await tx.people.find(userId))?.role ?? role)
        return { email, role, agents: [], userId, mayReplace: () => true }
      })
    },
    invitations: async (actor) => {
      requireCan(actor, 'user.manage')
      return { items: (await reads.invitations.newest(LISTED)).map((row) => invitationView(row, now())) }
    },
    revokeInvitation: async (actor, invitationId, key) => {
      requireCan(actor, 'user.manage')
      await once(deps, { actor, route: `invitation.revoke ${invitationId}`, key, body: {} }, async (tx) => {
        const row = await tx.invitations.find(invitationId)
        if (!row) throw new CodedError('NOT_FOUND', 'Invitation not found.')
        requireManages(actor, row.role)
        await tx.invitations.revoke(invitationId, now())
        await tx.audit.append(entryOf(actor, 'invitation.revoke', invitationId), now())
        return {}
      })
      shown.forget(invitationId)
      return { ok: true }
    },
    accept: async (caller, request) => {
      const row = await spend(deps, caller, request)
      shown.forget(row.invitationId)
      return { email: await settle(deps, caller, row, request) }
    },
  }
}

type Wanted = InvitationRequest & {
  userId: string | null
  /** Whether the new link replaces an open one for the same person that gives this role. */
  mayReplace: (role: Role) => boolean
}

export async function insertInvitation(deps: Pick<InvitationsDeps, 'now'>, tx: WriteTx, actor: Doer, wanted: Wanted) {
  const createdAt = deps.now()
  const expiresAt = createdAt + LIFE_MS
  const { tokenId: invitationId, secretHash, token } = makeToken('rhi')
  const { email, role, agents, userId } = wanted
  const replaced = await replaceOlder(tx, wanted, createdAt)
  const blank = { usedAt: null, revokedAt: null, wrongAttempts: 0 }
  const row = { ...blank, invitationId, secretHash, email, role, userId, createdBy: actor.userId, createdAt, expiresAt }
  await tx.invitations.insert({ ...row, agents })
  const action = userId === null ? 'person.invite' : 'person.recover'
  await tx.audit.append(entryOf(actor, action, userId ?? invitationId, { role, ...replaced }), createdAt)
  return { invitationId, token, expiresAt }
}

/** A person has one open link; older ones become invalid. */
async function replaceOlder(tx: WriteTx, wanted: Wanted, at: number): Promise<{ replaced?: number }> {
  const older = (await tx.invitations.openFor(wanted)).filter(({ role }) => wanted.mayReplace(role))
  for (const { invitationId } of older) await tx.invitations.revoke(invitationId, at)
  return older.length > 0 ? { replaced: older.length } : {}
}

/** A refusal is a value inside the transaction, because the count of wrong attempts and the audit entry must survive it. */
async function spend(deps: InvitationsDeps, caller: Caller, { code }: AcceptInvitation): Promise<InvitationRow> {
  const { transactions, now } = deps
  const parsed = parseToken('rhi', code)
  const outcome = await transactions.write(async (tx): Promise<InvitationRow | string> => {
    const row = parsed ? await tx.invitations.find(parsed.tokenId) : null
    const refusal = judgeSecret(row, parsed?.secretHash, now())
    if (row && refusal === 'wrong secret') await tx.invitations.countWrong(row.invitationId)
    if (refusal === null && row && (await tx.invitations.spend(row.invitationId, now()))) return row
    const why = refusal ?? 'used'
    const object = parsed?.tokenId ?? 'none'
    await tx.audit.append(refusalOf(stranger(caller.address), 'invitation.accept', object, { why }), now())
    return why
  })
  if (typeof outcome === 'string') throw new CodedError('INVITATION_INVALID')
  return outcome
}

type Accepted = Omit<AcceptInvitation, 'code'>

/** Does what the invitation was used for. If that fails, the invitation is valid again. */
async function settle(deps: InvitationsDeps, caller: Caller, row: InvitationRow, accepted: Accepted): Promise<string> {
  try {
    const userId = row.userId ?? (await takeIn(deps, caller, row, accepted))
    if (row.userId !== null) await setAnew(deps, caller, row.invitationId, { userId, ...accepted })
    deps.doorbells.ring('person', { userId })
    return row.email
  } catch (cause) {
    await deps.transactions.write((tx) => tx.invitations.reopen(row.invitationId))
    throw cause instanceof CodedError ? cause : new CodedError('INVALID_ARGUMENT', undefined, undefined, cause)
  }
}

/**
 * Creates an account. That takes time in which the inviting person may lose the right to invite. So the account starts
 * with the lowest rights, and the transaction that finds the invitation still valid grants the rest (AUTH-1).
 */
async function takeIn(
  deps: InvitationsDeps,
  { address }: Caller,
  row: InvitationRow,
  accepted: Accepted,
): Promise<string> {
  const { accounts, transactions, reads, now } = deps
  const { invitationId, email, role, createdBy } = row
  if (accepted.name === undefined) throw new CodedError('INVALID_ARGUMENT', 'name: say who you are')
  const here = (await reads.people.all()).map((person) => person.name)
  const name = requireOwnName(accepted.name, here)
  const userId = await accounts.create({ email, name, password: accepted.password, role: 'viewer' })
  try {
    await transactions.write(async (tx) => {
      await requireGood(tx, invitationId)
      requireOwnName(name, await tx.people.namesOfOthers(userId))
      await tx.people.update(userId, { role })
      const { agents } = row
      await tx.people.setShares(userId, agents, createdBy, now())
      const became = { role, ...(agents.length > 0 ? { agents: agents.join(' ') } : {}) }
      await tx.audit.append(entryOf({ userId, name, address }, 'person.join', invitationId, became), now())
    })
  } catch (cause) {
    await transactions.write((tx) => tx.people.delete(userId))
    throw cause
  }
  return userId
}

/** Sets a new password for an existing person and removes every other way into the account. */
async function setAnew(
  { accounts, transactions, now }: InvitationsDeps,
  { address }: Caller,
  invitationId: string,
  { userId, password }: { userId: string; password: string },
): Promise<void> {
  const passwordHash = await accounts.hash(password)
  await transactions.write(async (tx) => {
    await requireGood(tx, invitationId)
    const person = await tx.people.find(userId)
    if (!person) throw new CodedError('INVITATION_INVALID')
    await tx.people.setPassword(userId, passwordHash)
    await tx.logins.endAll(userId)
    const lost = await startAnew(tx, userId, now())
    await tx.audit.append(entryOf({ ...person, address }, 'person.recovered', invitationId, lost), now())
  })
}

/** This call used the invitation a moment ago, and nobody has revoked it since. */
async function requireGood(tx: WriteTx, invitationId: string): Promise<void> {
  if ((await tx.invitations.find(invitationId))?.revokedAt !== null) throw new CodedError('INVITATION_INVALID')
}

/**
 * A person who lost the password may also have lost the authenticator, or somebody may have taken over both. So every
 * other way into the account is removed, and the log says which.
 */
async function startAnew(tx: WriteTx, userId: string, at: number): Promise<Record<string, string | number>> {
  await takeLinksBack(tx, userId, at)
  const tokens = await tx.apiTokens.deleteAll(userId)
  const hadTotp = await tx.factors.removeTotp(userId)
  const passkeys = await tx.factors.removePasskeys(userId)
  const wasLinked = await tx.people.unlinkIdentity(userId)
  return {
    ...(hadTotp ? { totp: 'removed' } : {}),
    ...(passkeys > 0 ? { passkeysRemoved: passkeys } : {}),
    ...(wasLinked ? { identity: 'unlinked' } : {}),
    ...(tokens > 0 ? { tokensRemoved: tokens } : {}),
  }
}

function invitationView(row: InvitationRow, now: number): InvitationView {
  const { invitationId, email, role, createdAt, expiresAt } = row
  const kind = row.userId === null ? 'invite' : 'recover'
  return { invitationId, kind, email, role, state: oneUseState(row, now), createdAt, expiresAt }
}
