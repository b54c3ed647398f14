/** Programs of a test that speak on the bus: a token in the database, as its person made it. */
import type { ApiTokenScope, BusMessage } from '@roundhouse/backend-types'
import type { Actor } from '../core'
import { makeToken } from '../core/common/secret-token'
import type { TestHub } from './test-hub'

export interface Program {
  actor: Actor
  /** For a socket. */
  token: string
  peerId: string
  publish(...messages: object[]): ReturnType<TestHub['core']['bus']['publish']>
  /** Everything that it may see. */
  read(pattern?: string): Promise<BusMessage[]>
  end(): Promise<unknown>
}

export async function person(
  hub: TestHub,
  userId: string,
  role: string,
  agentIds: readonly string[] = [],
): Promise<void> {
  const { prisma } = hub.store
  await prisma.user.create({ data: { id: userId, name: userId, email: `${userId}@example.com`, role } })
  for (const agentId of agentIds)
    await prisma.machineShare.create({ data: { userId, agentId, createdAt: new Date(), createdBy: 'x' } })
}

/** A token of a person who is in the database. */
export async function program(hub: TestHub, userId: string, ...scopes: ApiTokenScope[]): Promise<Program> {
  const { tokenId, secretHash, token } = makeToken('rht')
  const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) }
  const data = { tokenId, secretHash, userId, name: scopes.join(), scopes: JSON.stringify(scopes), ...times }
  await hub.store.prisma.apiToken.create({ data })
  const login = await hub.core.account.byToken(token)
  if (!login) throw new Error('no such person')
  const { actor } = login
  const { bus } = hub.core
  return {
    actor,
    token,
    peerId: `p_${tokenId}`,
    publish: (...messages) => bus.publish(actor, messages),
    read: async (pattern = '**') => (await bus.page(actor, { after: 0, pattern, limit: 500 })).items,
    end: () => hub.store.prisma.apiToken.delete({ where: { tokenId } }),
  }
}

let made = 0
/** A valid message, with an id of its own. */
export const message = (topic: string, schema: string, data: object, more: object = {}) => ({
  topic,
  v: 1,
  id: `m-${++made}`,
  schema,
  data,
  ...more,
})

export const log = (peerId: string, words: string, more: object = {}) =>
  message(`worker.${peerId}.event`, 'worker-event-v1', { kind: 'LOG', severity: 'info', message: words }, more)

export const phase = (peerId: string, to: string, prev: string) =>
  message(`worker.${peerId}.phase`, 'worker-phase-v1', {
    phase: to,
    prev,
    transition_reason: 'next',
    phases_completed: [],
  })

/** Topics, and what the events among them said. */
export const heard = (messages: readonly BusMessage[]): string[] =>
  messages.map(({ topic, data }) => [topic, data.message ?? data.phase ?? data.reason].filter(Boolean).join(' '))
