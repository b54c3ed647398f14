import { agentAuthHeaders, CodedError } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checksum } from '../core/common/secret-token'
import { FakeAgent } from '../testing/fake-agent'
import { liveSession, requested, text, texts } from '../testing/scenario'
import { secretOf } from '../testing/secret-of'
import { changing } from '../testing/stream-steps'
import { ana, TestHub } from '../testing/test-hub'

const MINUTE = 60_000

describe('an agent', () => {
  let hub: TestHub
  let skipped = 0
  beforeEach(async () => {
    skipped = 0
    hub = await TestHub.start({ now: () => Date.now() + skipped })
  })
  afterEach(() => hub.stop())

  const token = async (request = {}) => hub.core.agents.makeToken(ana, request, hub.key())
  const stranger = () => new FakeAgent(hub.core, hub.url)
  const refusedBy = (agent: FakeAgent, secret: string) =>
    agent.enrol(secret).then(
      () => 'taken',
      (error) => `${error.code}: ${error.message}`,
    )

  it('[POL-3.7] says that its owner has paused it, and that it goes on', async () => {
    const agent = stranger()
    await agent.enrol((await token()).token)
    const policy = { roots: ['/code'], maxSandbox: 'workspace-write', summary: '' }
    const seen = async () => (await hub.core.agents.get(ana, agent.agentId)).pausedAt
    await agent.open()
    await agent.hello({ policy: { ...policy, pausedAt: 1_700_000_000_000 } })
    expect(await seen()).toBe(1_700_000_000_000)
    await agent.close()
    await agent.open()
    await agent.hello({ policy: { ...policy, pausedAt: null } })
    expect(await seen()).toBeUndefined()
  })

  describe('enrolls', () => {
    it('[JOIN-1.1] [JOIN-2] with a token that is good once; neither its secret nor a private key is on the hub', async () => {
      const made = await token({ name: 'lab' })
      expect(made.command).toContain(made.hubKeyFingerprint)
      const agent = stranger()
      await agent.enrol(made.token, 'ignored')
      const view = await hub.core.agents.get(ana, agent.agentId)
      expect(view).toMatchObject({ name: 'lab', state: 'active', online: false })
      expect((await hub.core.agents.getToken(ana, made.tokenId)).usedBy).toBe(agent.agentId)
      const secret = secretOf(made.token)
      const dump = JSON.stringify([
        await hub.store.prisma.enrollmentToken.findMany(),
        await hub.store.prisma.audit.findMany(),
        await hub.store.prisma.agent.findMany(),
        await hub.store.prisma.idempotency.findMany(),
      ])
      expect(dump).not.toContain(secret)
    })

    it('[JOIN-1.4] [CMD-1] shows its token to a repeat while it can be used, from memory alone', async () => {
      const make = () => hub.core.agents.makeToken(ana, {}, 'same-key')
      const made = await make()
      expect(await make()).toEqual(made)
      await stranger().enrol(made.token)
      const gone = { code: 'SHOWN_ONCE', details: { tokenId: made.tokenId } }
      await expect(make()).rejects.toMatchObject(gone)
      const other = await token({ ttlMinutes: 1 })
      await hub.crash()
      await hub.store.close()
      hub = await TestHub.start({ file: hub.store.file })
      await expect(make()).rejects.toMatchObject(gone)
      await stranger().enrol(other.token)
    })

    it('[T52] once also when two try at the same moment', async () => {
      const made = await token()
      const answers = await Promise.all([refusedBy(stranger(), made.token), refusedBy(stranger(), made.token)])
      expect(answers.sort()).toEqual(['ENROLLMENT_INVALID: The enrollment token was not accepted.', 'taken'])
    })

    it('[T53] expired, revoked, used, unknown, wrong and mistyped tokens look the same; the audit log tells them apart', async () => {
      const [used, revoked, expired, open] = [
        await token(),
        await token(),
        await token({ ttlMinutes: 1 }),
        await token(),
      ]
      await stranger().enrol(used.token)
      await hub.core.agents.revokeToken(ana, revoked.tokenId, hub.key())
      const wrong = remade(open.token, 'A'.repeat(43))
      const unknown = remade(open.token.replace(open.tokenId, 'X'.repeat(10)), 'A'.repeat(43))
      skipped = 2 * MINUTE
      const answers = []
      for (const tried of [used.token, revoked.token, expired.token, unknown, wrong, `${open.token}x`]) {
        answers.push(await refusedBy(stranger(), tried))
      }
      expect(new Set(answers)).toEqual(new Set(['ENROLLMENT_INVALID: The enrollment token was not accepted.']))
      const lines = await hub.store.prisma.audit.findMany({ where: { action: 'agent.enroll', outcome: 'refused' } })
      expect(lines.map((line) => JSON.parse(line.detail ?? '{}').why)).toEqual([
        'used',
        'revoked',
        'expired',
        'unknown',
        'wrong secret',
        'unknown',
      ])
    })

    it('[T53] ten wrong secrets burn a token, and the right one comes too late', async () => {
      const made = await token()
      const wrong = remade(made.token, 'B'.repeat(43))
      for (let i = 0; i < 10; i += 1) await refusedBy(stranger(), wrong)
      expect(await refusedBy(stranger(), made.token)).toContain('ENROLLMENT_INVALID')
      expect((await hub.core.agents.getToken(ana, made.tokenId)).state).toBe('burnt')
    })

    it('[T55] not with a nonce that was used, or a signature by another key', async () => {
      const made = await token()
      const agent = stranger()
      const request = await agent.enrolment(made.token)
      const forged = { ...(await agent.enrolment(made.token)), publicKey: stranger().publicKey }
      await expect(hub.core.agents.enroll({ address: 'x' }, forged)).rejects.toMatchObject({ code: 'AUTH_FAILED' })
      await hub.core.agents.enroll({ address: 'x' }, request)
      await expect(hub.core.agents.enroll({ address: 'x' }, request)).rejects.toMatchObject({ code: 'AUTH_FAILED' })
    })
  })

  describe('connects', () => {
    it('[LINK-1.3] with a signature over a fresh nonce, once', async () => {
      const agent = await hub.enrol()
      const credential = await agent.credential()
      expect(await agent.open(credential)).toBe('welcome')
      const replay = hub.adopt(agent)
      expect(await replay.open(credential)).toBe('refused')
    })

    it.each([
      ['no nonce of ours', { [agentAuthHeaders.nonce]: 'bm9uY2U' }],
      ['an empty signature', { [agentAuthHeaders.signature]: '' }],
      ['garbage for a signature', { [agentAuthHeaders.signature]: 'AAAA' }],
      ['a name that nobody has', { [agentAuthHeaders.agentId]: 'agt_nobody' }],
      ['the Origin of a page', { origin: 'http://localhost' }],
    ])('[T55] [T56] [LINK-1] not with %s', async (_what, change) => {
      const agent = await hub.enrol()
      expect(await agent.open({ ...(await agent.credential()), ...change })).toBe('refused')
    })

    it('[LINK-1.3] not with a nonce that is older than ten seconds', async () => {
      const agent = await hub.enrol()
      const credential = await agent.credential()
      skipped = 10_001
      expect(await agent.open(credential)).toBe('refused')
    })

    it('[LINK-1.3] not with a nonce that was given to another machine, or that was changed', async () => {
      const agent = await hub.enrol()
      const other = await hub.enrol('other')
      const nonceFor = async (agentId: string) =>
        (await hub.core.agents.challenge({ address: 'x' }, { agentId, agentNonce: 'n'.repeat(24) })).nonce
      expect(await agent.open(await agent.credential(await nonceFor(other.agentId)))).toBe('refused')
      const nonce = await nonceFor(agent.agentId)
      const later = Buffer.from(nonce, 'base64url')
      later[7] = (later[7] ?? 0) ^ 1
      expect(await agent.open(await agent.credential(later.toString('base64url')))).toBe('refused')
      expect(await agent.open(await agent.credential(`${nonce}=`))).toBe('refused')
      expect(await agent.open(await agent.credential(nonce))).toBe('welcome')
    })

    it('[LINK-1.10] whatever number of challenges is asked for, from its own address too', async () => {
      const agent = await hub.enrol()
      const credential = await agent.credential()
      for (let i = 0; i < 2_000; i += 1) {
        await hub.core.agents.challenge({ address: '127.0.0.1' }, { agentNonce: 'n'.repeat(24) })
      }
      expect(await agent.open(credential)).toBe('welcome')
      expect(await hub.adopt(agent).open()).toBe('welcome')
    })

    it('[LINK-1.9] a signature that is not good uses no nonce up', async () => {
      const agent = await hub.enrol()
      const credential = await agent.credential()
      expect(await agent.open({ ...credential, [agentAuthHeaders.signature]: 'AAAA' })).toBe('refused')
      expect(await hub.adopt(agent).open(credential)).toBe('welcome')
    })

    it('[VER-1.2] [T6] not when no protocol version is common, and hears which are', async () => {
      const agent = await hub.enrol()
      await agent.open()
      expect(await agent.hello({ protocol: [7] })).toMatchObject({
        error: { code: 'PROTOCOL_UNSUPPORTED', details: { supported: [1], offered: [7] } },
      })
    })

    it('[LINK-3.1] [F11] a newer connection takes over, and the older is told', async () => {
      const old = await hub.connectedAgent()
      const sessionId = await liveSession(hub, old)
      const fresh = hub.adopt(old)
      await fresh.connect()
      await old.waiter.until(() => !old.socket.connected)
      expect(old.revoked).toMatchObject([{ code: 'FENCED' }])
      expect(await fresh.emit(sessionId, text('from the new one'))).toBe(2)
    })

    it('[LINK-3.2] [F11] a write that the older had under way is fenced inside its transaction', async () => {
      const old = await hub.connectedAgent()
      const sessionId = await liveSession(hub, old)
      const gate = await hub.holdGate()
      const closed: unknown[] = []
      const nobody = async () => ({ state: 'accepted' as const })
      const link = {
        command: nobody,
        cancel: nobody,
        ask: () => Promise.reject(new CodedError('AGENT_OFFLINE')),
        verdict: () => {},
        hold: () => {},
        auditHead: () => {},
        attention: () => {},
      }
      const accepted = hub.core.agentGate.accept(old, { ...link, close: (why) => void closed.push(why) })
      const late = old.send(sessionId, old.append(sessionId, text('too late'))).catch(() => null)
      await hub.heard('events')
      void gate.release()
      const newer = await accepted
      await old.waiter.until(() => !old.socket.connected)
      await hub.store.ingest.change({}, changing(), 0)
      expect((await hub.core.sessions.snapshot(ana, sessionId)).head).toBe(1)
      await newer.closed()
      old.close()
      await late
    })

    it('[JOIN-4.5] [JOIN-4.6] [T59] a copy of its disk is found by its chain, both are shut out, until the owner decides', async () => {
      const agent = await hub.connectedAgent()
      const copy = hub.adopt(agent)
      agent.close()
      await agent.connect()
      expect(await copy.open()).toBe('welcome')
      expect(await copy.hello()).toMatchObject({ error: { code: 'AGENT_CLONED' } })
      await copy.waiter.until(() => copy.revoked.length > 0)
      await agent.waiter.until(() => !agent.socket.connected)
      expect(await agent.open()).toBe('revoked')
      expect(agent.revoked.at(-1)).toMatchObject({ code: 'AGENT_CLONED' })
      await hub.core.agents.acceptRestored(ana, agent.agentId, hub.key())
      await agent.connect()
    })

    it('[JOIN-4.3] a link that broke before the hello is no copy, whichever value the agent kept', async () => {
      const agent = await hub.connectedAgent()
      const before = agent.chain
      for (const keeps of [before, null]) {
        agent.close()
        await agent.open()
        agent.chain = keeps ?? agent.welcome?.chain ?? ''
      }
      agent.close()
      await agent.connect()
    })

    it('[JOIN-3] [T57] revoked: shut out at once, its requests orphaned, its commands cancelled, never again', async () => {
      const agent = await hub.connectedAgent()
      const sessionId = await liveSession(hub, agent)
      await agent.emit(sessionId, requested('r1'))
      await hub.core.agents.revoke(ana, agent.agentId, hub.key())
      await agent.waiter.until(() => !agent.socket.connected)
      expect(agent.revoked).toMatchObject([{ code: 'AGENT_REVOKED' }])
      expect((await hub.core.inbox.get(ana)).requests).toEqual([])
      expect((await hub.core.sessions.snapshot(ana, sessionId)).session.status).toMatchObject({ why: 'agent_revoked' })
      expect(await agent.open()).toBe('revoked')
      await expect(hub.core.agents.enable(ana, agent.agentId, hub.key())).rejects.toMatchObject({
        code: 'AGENT_REVOKED',
      })
    })

    it('[I10] [T57] nothing of a revoked agent has an effect once the revocation is acknowledged', async () => {
      const agent = await hub.connectedAgent()
      const sessionId = await liveSession(hub, agent)
      const late = (batch: number) =>
        agent.send(sessionId, agent.append(sessionId, text(`in flight ${batch}`))).catch(() => {})
      const before = Array.from({ length: 20 }, (_, batch) => late(batch))
      const revoked = hub.core.agents.revoke(ana, agent.agentId, hub.key())
      const after = Array.from({ length: 20 }, (_, batch) => late(20 + batch))
      await revoked
      const seen = async () => {
        const { session, head, events } = await hub.core.sessions.snapshot(ana, sessionId)
        return { head, status: session.status, last: events.at(-1)?.body }
      }
      const acknowledged = await seen()
      await Promise.all([...before, ...after])
      await agent.waiter.until(() => !agent.socket.connected)
      expect(await seen()).toEqual(acknowledged)
      expect(await agent.open()).toBe('revoked')
      expect(await seen()).toEqual(acknowledged)
    })

    it('[JOIN-3.1] rights that another process took away are seen at the next tick', async () => {
      const agent = await hub.connectedAgent()
      await hub.store.transactions.write(async (tx) => {
        await tx.machines.update(agent.agentId, { state: 'disabled' })
        await tx.hub.bumpRevocationVersion()
      })
      await hub.core.tick()
      await agent.waiter.until(() => !agent.socket.connected)
      expect(agent.revoked).toMatchObject([{ code: 'AGENT_DISABLED' }])
      await hub.core.agents.enable(ana, agent.agentId, hub.key())
      await agent.connect()
    })
  })

  describe('reports its sessions', () => {
    it('[LINK-2.5] and hears for each where to go on', async () => {
      const agent = await hub.connectedAgent()
      const sessionId = await liveSession(hub, agent)
      await agent.emit(sessionId, ...texts(4))
      const stranger = await hub.connectedAgent('other')
      const foreign = await liveSession(hub, stranger)
      const epoch = hub.core.hub.hubEpoch()
      agent.close()
      const verdicts = await agent.connect([
        agent.report(sessionId, { acked: 3, ackedEpoch: epoch }),
        agent.report('s_new'),
        agent.report(foreign),
      ])
      expect(verdicts).toEqual([
        { sessionId, verdict: 'resume', from: 6 },
        { sessionId: 's_new', verdict: 'unknown' },
        { sessionId: foreign, verdict: 'not_yours' },
      ])
    })

    it('[REB-1] [F21] another log under a known session is rebased, and the audit log tells of it', async () => {
      const agent = await hub.connectedAgent()
      const sessionId = await liveSession(hub, agent)
      agent.close()
      const verdicts = await agent.connect([agent.report(sessionId, { logId: 'log_other', last: 3 })])
      expect(verdicts).toEqual([{ sessionId, verdict: 'rebase', to: 1 }])
      const notices = await hub.store.prisma.audit.findMany({ where: { action: 'session.other_log' } })
      expect(notices).toMatchObject([
        { actorId: `agent:${agent.agentId}`, object: sessionId, detail: JSON.stringify({ held: 1, offered: 3 }) },
      ])
    })
  })

  it('[F17] hears of a full disk: no acknowledgement, a pause, and everything goes on afterwards', async () => {
    await hub.stop()
    let full = false
    hub = await TestHub.start({
      failpoint: (name) => {
        if (full && name === 'hub.afterInsert') throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
      },
    })
    const agent = await hub.connectedAgent()
    const sessionId = await liveSession(hub, agent)
    full = true
    const events = agent.append(sessionId, text('kept at home'))
    expect(await agent.send(sessionId, events)).toMatchObject({
      error: { code: 'STORAGE_UNAVAILABLE', retryable: true },
    })
    await agent.waiter.until(() => agent.holds.length === 1)
    expect([agent.holds[0]?.code, hub.core.storage().state]).toEqual(['STORAGE_UNAVAILABLE', 'full'])
    expect((await hub.core.sessions.snapshot(ana, sessionId)).head).toBe(1)
    full = false
    // Until the hub's own try has reached the disk nobody else writes (STORE-7).
    await hub.core.tick()
    expect(hub.core.storage().state).toBe('ok')
    expect(await agent.send(sessionId, events)).toEqual({ ok: true, acked: 2 })
  })
})

/** The same token id with another secret and a right checksum. */
function remade(token: string, secret: string): string {
  const body = `rhe_${token.slice(4, 14)}_${secret}`
  return `${body}_${checksum(body)}`
}
