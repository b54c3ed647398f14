/**
 * Every route that changes something, as the owner of a hub with one machine calls it: for tests that walk all of them. The
 * list is compared with the hub's own document (`audit-routes.test.ts`), so that a new route has to be named here.
 */
import { createApi } from '../api'
import type { Login } from '../auth/authenticate'
import { CLIENT_ADDRESS_HEADER } from '../auth/better-auth'
import { channelDeeds } from './channels/channel-deeds'
import type { FakeAgent } from './fake-agent'
import { fakeKey } from './fake-key'
import { hostState, liveSession, requested } from './scenario'
import { letTakeImages, somePng } from './some-images'
import { ana, type TestHub } from './test-hub'

export type Json = Record<string, unknown>

/** A hub with one machine, and its REST interface as the owner uses it. */
export class World {
  /** Who asks next. */
  login: Login = { actor: ana, loginId: 'login_1', email: 'ana@example.com' }
  readonly api: ReturnType<typeof createApi>
  #names = 0

  constructor(readonly hub: TestHub) {
    this.api = createApi({
      core: hub.core,
      auth: {} as never,
      authenticate: async () => this.login,
      recognise: async () => ({ login: null, known: null }),
      proofs: { judgeNewKey: () => null, nonce: () => '' },
      setup: { issueCode: async () => null, required: async () => false, complete: async () => {} },
      version: '0',
      addressHeader: CLIENT_ADDRESS_HEADER,
      onInternalError: (error) => console.error(error),
    })
  }

  /** Throws unless it was done. */
  async send(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.ask(method, path, body)
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer.json)}`)
    return answer.json
  }

  async ask(method: string, path: string, body?: unknown): Promise<{ ok: boolean; json: Json }> {
    const headers: Record<string, string> = {
      'idempotency-key': `${this.hub.key()}-of-ana`,
      [CLIENT_ADDRESS_HEADER]: '10.0.0.9',
    }
    const isFile = body instanceof Uint8Array
    if (body !== undefined) headers['content-type'] = isFile ? 'application/octet-stream' : 'application/json'
    const sent = isFile ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body)
    const init = { method, headers, ...(body === undefined ? {} : { body: sent }) }
    const answer = await this.api.request(`http://hub/api/v1${path}`, init)
    return { ok: answer.ok, json: (await answer.json()) as Json }
  }

  newName = () => `name${++this.#names}`

  async person(): Promise<string> {
    const name = this.newName()
    const { id } = await this.hub.store.prisma.user.create({
      data: { id: `u_${name}`, name, email: `${name}@example.com`, role: 'viewer' },
    })
    return id
  }

  /** One of the owner's. */
  async passkey(): Promise<string> {
    const id = this.newName()
    const key = { publicKey: 'k', credentialID: id, counter: 0, deviceType: 'x', backedUp: false, name: id }
    await this.hub.store.prisma.passkey.create({ data: { id, userId: ana.userId, ...key } })
    return id
  }

  agent = () => this.hub.connectedAgent(this.newName())

  /** A session of its own, that runs turn t1. */
  async session(): Promise<{ sessionId: string; agent: FakeAgent }> {
    const agent = await this.agent()
    const sessionId = await liveSession(this.hub, agent)
    await agent.state(hostState(sessionId, { turnId: 't1' }))
    return { sessionId, agent }
  }
}

const password = 'correct horse battery'

export interface Deed {
  /** The action of the row; null: nothing is kept of the request, so there is nothing to tell. */
  leaves: string | null
  /** Resolves once the route was called, and called last. */
  call: (world: World) => Promise<unknown>
}

const onPerson = (leaves: string, method: string, path = '', body?: unknown): Deed => ({
  leaves,
  call: async (world) => world.send(method, `/people/${await world.person()}${path}`, body),
})
const onSession = (leaves: string, method: string, path = '', body?: unknown): Deed => ({
  leaves,
  call: async (world) => world.send(method, `/sessions/${(await world.session()).sessionId}${path}`, body),
})
const onAgent = (leaves: string, method: string, path = '', state?: string, body?: unknown): Deed => ({
  leaves,
  call: async (world) => {
    const { agentId } = await world.agent()
    if (state) await world.hub.store.prisma.agent.update({ where: { agentId }, data: { state } })
    await world.send(method, `/agents/${agentId}${path}`, body)
  },
})
const invitation = async (world: World) =>
  world.send('POST', '/invitations', { email: `${world.newName()}@example.com`, role: 'viewer' })

const newRun = async (world: World) => {
  const { agentId } = await world.agent()
  const run = { agentId, backend: 'scripted', workDir: '/code/demo', prompt: 'Hello' }
  return world.send('POST', '/runs?wait=false', run)
}

const webhook = { url: 'https://example.com/hook', topics: ['system.**'] }
const newWebhook = async (world: World) =>
  ((await world.send('POST', '/me/webhooks', webhook)).webhook as Json).webhookId
const onWebhook = (leaves: string, method: string, path = '', body?: unknown, list = '/me/webhooks'): Deed => ({
  leaves,
  call: async (world) => world.send(method, `${list}/${await newWebhook(world)}${path}`, body),
})

const newToken = (world: World) =>
  world.send('POST', '/me/tokens', { name: 'x', scopes: ['read'], ttlDays: 1, password })

const firstOwner = { code: 'code', name: 'Ana', email: 'ana@example.com', password: 'correct horse battery' }

export const deeds: Record<string, Deed> = {
  ...channelDeeds,
  'post /setup': { leaves: 'hub.setup', call: (world) => world.send('POST', '/setup', firstOwner) },
  'patch /people/{userId}': onPerson('person.change', 'PATCH', '', { role: 'operator' }),
  'delete /people/{userId}': onPerson('person.remove', 'DELETE'),
  'post /people/{userId}/sign-out': onPerson('person.sign_out', 'POST', '/sign-out'),
  'post /people/{userId}/recover': onPerson('person.recover', 'POST', '/recover'),
  'post /invitations': { leaves: 'person.invite', call: invitation },
  'delete /invitations/{invitationId}': {
    leaves: 'invitation.revoke',
    call: async (world) => world.send('DELETE', `/invitations/${(await invitation(world)).invitationId}`),
  },
  'post /invitations/accept': {
    leaves: 'person.join',
    call: async (world) => {
      const code = String((await invitation(world)).link).split('#')[1]
      return world.send('POST', '/invitations/accept', { code, name: 'New', password: 'a long password' })
    },
  },
  'delete /me/logins/{loginId}': {
    leaves: 'login.end',
    call: async (world) => {
      const data = {
        id: 'login_2',
        token: 'x',
        userId: ana.userId,
        expiresAt: new Date(Date.now() + 60_000),
        ...fakeKey(),
      }
      await world.hub.store.prisma.authSession.create({ data })
      return world.send('DELETE', '/me/logins/login_2')
    },
  },
  'post /me/tokens': {
    leaves: 'api_token.make',
    call: newToken,
  },
  'delete /me/tokens/{tokenId}': {
    leaves: 'api_token.remove',
    call: async (world) => {
      const { tokenId } = await newToken(world)
      return world.send('DELETE', `/me/tokens/${tokenId}`)
    },
  },
  'post /me/totp': { leaves: null, call: (world) => world.send('POST', '/me/totp', { password }) },
  'post /me/totp/confirm': {
    leaves: 'totp.enable',
    call: (world) => world.send('POST', '/me/totp/confirm', { code: '000001' }),
  },
  'post /me/backup-codes': {
    leaves: 'backup_codes.renew',
    call: (world) => world.send('POST', '/me/backup-codes', { password, code: '000002' }),
  },
  'post /me/totp/remove': {
    leaves: 'totp.disable',
    call: (world) => world.send('POST', '/me/totp/remove', { password, code: '000003' }),
  },
  'patch /me/passkeys/{passkeyId}': {
    leaves: 'passkey.rename',
    call: async (world) => world.send('PATCH', `/me/passkeys/${await world.passkey()}`, { name: 'other' }),
  },
  'post /me/passkeys/{passkeyId}/remove': {
    leaves: 'passkey.remove',
    call: async (world) => world.send('POST', `/me/passkeys/${await world.passkey()}/remove`, { password }),
  },
  'post /me/identity/unlink': {
    leaves: 'identity.unlink',
    call: async (world) => {
      const data = { id: world.newName(), accountId: 'x', providerId: 'oidc', userId: ana.userId }
      await world.hub.store.prisma.account.create({ data })
      return world.send('POST', '/me/identity/unlink', { password })
    },
  },
  'post /me/webhooks': { leaves: 'webhook.make', call: (world) => world.send('POST', '/me/webhooks', webhook) },
  'patch /me/webhooks/{webhookId}': onWebhook('webhook.change', 'PATCH', '', { enabled: false }),
  'delete /me/webhooks/{webhookId}': onWebhook('webhook.remove', 'DELETE'),
  'post /me/webhooks/{webhookId}/rotate': onWebhook('webhook.rotate', 'POST', '/rotate'),
  'post /me/webhooks/{webhookId}/test': onWebhook('webhook.test', 'POST', '/test'),
  'post /me/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver': {
    leaves: 'webhook.redeliver',
    call: async (world) => {
      const path = `/me/webhooks/${await newWebhook(world)}`
      const { deliveryId } = await world.send('POST', `${path}/test`)
      await world.send('POST', `${path}/deliveries/${deliveryId}/redeliver`)
    },
  },
  'delete /webhooks/{webhookId}': onWebhook('webhook.remove', 'DELETE', '', undefined, '/webhooks'),
  'patch /agents/{agentId}': onAgent('agent.rename', 'PATCH', '', undefined, { name: 'other' }),
  'post /agents/{agentId}/refresh': {
    leaves: 'agent.refresh',
    call: async (world) => {
      const agent = await world.agent()
      const manifest = { manifestVersion: 1, generatedAt: '2026-01-01T00:00:00Z', backends: [] }
      agent.questionAnswer = { manifest }
      return world.send('POST', `/agents/${agent.agentId}/refresh`)
    },
  },
  'post /agents/{agentId}/approve': onAgent('agent.approve', 'POST', '/approve', 'pending'),
  'post /agents/{agentId}/refuse': onAgent('agent.refuse', 'POST', '/refuse', 'pending'),
  'post /agents/{agentId}/disable': onAgent('agent.disable', 'POST', '/disable'),
  'post /agents/{agentId}/enable': onAgent('agent.enable', 'POST', '/enable', 'disabled'),
  'post /agents/{agentId}/revoke': onAgent('agent.revoke', 'POST', '/revoke'),
  'post /agents/{agentId}/accept-restored': onAgent('agent.accept_restored', 'POST', '/accept-restored'),
  'post /enrollment-tokens': { leaves: 'token.make', call: (world) => world.send('POST', '/enrollment-tokens', {}) },
  'delete /enrollment-tokens/{tokenId}': {
    leaves: 'token.revoke',
    call: async (world) => {
      const { tokenId } = await world.send('POST', '/enrollment-tokens', {})
      return world.send('DELETE', `/enrollment-tokens/${tokenId}`)
    },
  },
  'post /agent/challenge': {
    leaves: null,
    call: (world) => world.send('POST', '/agent/challenge', { agentNonce: 'n'.repeat(20) }),
  },
  'post /agent/enroll': { leaves: 'agent.enroll', call: (world) => world.hub.enrol(world.newName()) },
  'post /agent/rotate-key': {
    leaves: 'agent.rotate_key',
    call: async (world) => (await world.agent()).rotateKey(),
  },
  'patch /settings': {
    leaves: 'hub.change',
    call: (world) => world.send('PATCH', '/settings', { requireApproval: false }),
  },
  'post /sessions': {
    leaves: 'session.create',
    call: async (world) => {
      const { agentId } = await world.agent()
      const settings = { backend: 'scripted', workDir: '/code/demo' }
      return world.send('POST', '/sessions', { agentId, settings, prompt: 'Hello' })
    },
  },
  'patch /sessions/{sessionId}': onSession('session.organise', 'PATCH', '', { archived: true }),
  'delete /sessions/{sessionId}': onSession('session.delete', 'DELETE'),
  'post /sessions/{sessionId}/images': {
    leaves: 'image.upload',
    call: async (world) => {
      const { sessionId, agent } = await world.session()
      await letTakeImages(world.hub, agent.agentId)
      await world.send('POST', `/sessions/${sessionId}/images`, somePng())
    },
  },
  'post /images': { leaves: 'image.upload', call: (world) => world.send('POST', '/images', somePng()) },
  'post /sessions/{sessionId}/prompts': onSession('prompt.send', 'POST', '/prompts', { promptId: 'p1', text: 'Hi' }),
  'post /sessions/{sessionId}/queue': onSession('queue.release', 'POST', '/queue', { op: 'release' }),
  'post /sessions/{sessionId}/interrupt': onSession('turn.interrupt', 'POST', '/interrupt', { turnId: 't1' }),
  'post /sessions/{sessionId}/stop-task': {
    leaves: 'task.stop',
    call: async (world) => {
      const { sessionId, agent } = await world.session()
      const task = { taskId: 'b1', kind: 'command', label: 'npm run dev', canStop: true, startedAt: 1 } as const
      await agent.state(hostState(sessionId, { rev: 100, background: [task] }))
      return world.send('POST', `/sessions/${sessionId}/stop-task`, { taskId: 'b1' })
    },
  },
  'post /sessions/{sessionId}/resume': onSession('session.resume', 'POST', '/resume', {}),
  'post /sessions/{sessionId}/configure': onSession('session.configure', 'POST', '/configure', { model: 'small' }),
  'post /sessions/{sessionId}/query': onSession('session.configure', 'POST', '/query', {
    method: 'setModel',
    args: ['small'],
  }),
  'post /sessions/{sessionId}/stop': onSession('session.stop', 'POST', '/stop'),
  'post /sessions/{sessionId}/spawning': onSession('session.spawning', 'POST', '/spawning', { on: true, budgetUsd: 1 }),
  'post /sessions/{sessionId}/stop-tree': onSession('session.stop_tree', 'POST', '/stop-tree'),
  'post /sessions/{sessionId}/end-process': onSession('process.end', 'POST', '/end-process'),
  'post /sessions/{sessionId}/grants/{grantId}/revoke': onSession('grant.revoke', 'POST', '/grants/g1/revoke'),
  'delete /sessions/{sessionId}/commands/{commandId}': {
    leaves: 'command.dismiss',
    call: async (world) => {
      const { sessionId, agent } = await world.session()
      agent.answer = () => new Promise(() => {})
      const { commandId } = await world.send('POST', `/sessions/${sessionId}/stop`)
      await agent.waiter.until(() => agent.commands.some((command) => command.commandId === commandId))
      const error = { code: 'STORAGE_FULL', message: 'The disk is full.', retryable: false }
      await agent.ask('command', { commandId, sessionId, answer: { state: 'refused', error } })
      return world.send('DELETE', `/sessions/${sessionId}/commands/${commandId}`)
    },
  },
  'post /runs': { leaves: 'session.create', call: newRun },
  'post /runs/{runId}/stop': {
    leaves: 'session.stop',
    call: async (world) => world.send('POST', `/runs/${(await newRun(world)).runId}/stop`),
  },
  'post /events': {
    leaves: null,
    call: (world) => {
      const data = { kind: 'LOG', severity: 'info', message: 'hello' }
      const topic = `worker.u_${ana.userId}.event`
      const message = { topic, v: 1, id: world.newName(), schema: 'worker-event-v1', data }
      return world.send('POST', '/events', { messages: [message] })
    },
  },
  'post /peers/{peerId}/asks/{requestId}/answer': {
    leaves: 'ask.answer',
    call: async (world) => {
      const { sessionId, agent } = await world.session()
      const data = { kind: 'REQUEST', severity: 'info', message: 'Now?', request_id: 'ask1' }
      const topic = `worker.${sessionId}.event`
      await agent.emit(sessionId, { kind: 'published', id: 'e1', topic, schema: 'worker-event-v1', data })
      const path = `/peers/${sessionId}/asks/ask1`
      while (!(await world.ask('GET', path)).ok) await world.hub.core.tick()
      return world.send('POST', `${path}/answer`, { decision: 'approve' })
    },
  },
  'post /permissions/{requestId}/decision': {
    leaves: 'permission.decide',
    call: async (world) => {
      const { sessionId, agent } = await world.session()
      await agent.emit(sessionId, requested('r1'))
      return world.send('POST', '/permissions/r1/decision', { decision: 'allow', digest: 'digest-r1' })
    },
  },
}
