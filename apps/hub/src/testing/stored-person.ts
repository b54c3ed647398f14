/** Somebody of a test, in the database as a login leaves them: what takes their rights away is a change there. */
import type { Actor } from '../core'
import { fakeKey } from './fake-key'
import type { TestHub } from './test-hub'

export interface StoredPerson {
  actor: Actor
  asToken: Actor
  change(data: { role?: string; banned?: boolean }): Promise<unknown>
  remove(): Promise<unknown>
  unshare(): Promise<unknown>
  signOut(): Promise<unknown>
  endToken(): Promise<unknown>
}

export async function storePerson(hub: TestHub, actor: Actor, agentIds: readonly string[]): Promise<StoredPerson> {
  const { prisma } = hub.store
  const { userId, name, role } = actor
  const expiresAt = new Date(Date.now() + 30 * 24 * 3_600_000)
  const tokenId = `token-${userId}`
  hub.people.delete(userId)
  await prisma.user.create({ data: { id: userId, name, email: `${userId}@example.com`, role } })
  await prisma.authSession.create({ data: { id: actor.credential.id, userId, expiresAt, token: userId, ...fakeKey() } })
  const scopes = '["read","decide","operate"]'
  const made = { createdAt: new Date(), expiresAt }
  await prisma.apiToken.create({ data: { tokenId, userId, name: 'CI', secretHash: 'x', scopes, ...made } })
  for (const agentId of agentIds)
    await prisma.machineShare.create({ data: { userId, agentId, createdAt: new Date(), createdBy: 'x' } })
  const where = { userId }
  return {
    actor: { ...actor, agents: actor.agents && new Set(agentIds) },
    asToken: {
      ...actor,
      agents: new Set(agentIds),
      credential: { kind: 'token', id: tokenId },
      only: new Set(['session.read', 'permission.decide', 'session.prompt', 'session.create', 'session.control']),
    },
    change: (data) => prisma.user.update({ where: { id: userId }, data }),
    remove: () => prisma.user.delete({ where: { id: userId } }),
    unshare: () => prisma.machineShare.deleteMany({ where }),
    signOut: () => prisma.authSession.deleteMany({ where }),
    endToken: () => prisma.apiToken.deleteMany({ where }),
  }
}
