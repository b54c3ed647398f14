/** A machine changes its key by itself, and nothing else changes with it (security: rotation, revocation, recovery). */
import { RotateKeyRequest } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveSession, text } from '../testing/scenario'
import { ana, TestHub } from '../testing/test-hub'

describe('a machine that changes its key', () => {
  let hub: TestHub
  let agent: FakeAgent
  beforeEach(async () => {
    hub = await TestHub.start()
    agent = await hub.connectedAgent()
  })
  afterEach(() => hub.stop())

  const rotate = (request: object) => hub.core.agents.rotateKey({ address: '10.0.0.7' }, request as RotateKeyRequest)
  const rowOf = () => hub.store.prisma.agent.findUnique({ where: { agentId: agent.agentId } })
  const audit = () =>
    hub.store.prisma.audit.findMany({ where: { action: 'agent.rotate_key' }, select: { outcome: true, detail: true } })
  const refusedWith = (code: string) => ({ code })

  it('[A20] [JOIN-2.4] keeps its id, its rights and its sessions; its key is the one thing that is another', async () => {
    const sessionId = await liveSession(hub, agent)
    const before = await rowOf()
    const { request, take, next } = await agent.rotation()
    const { keyFingerprint } = await rotate(request)
    await agent.waiter.until(() => !agent.socket.connected)
    expect(await rowOf()).toEqual({
      ...before,
      publicKey: next.publicKey,
      keyFingerprint,
      connEpoch: (before?.connEpoch ?? 0) + 1,
    })
    take()
    await agent.connect([agent.report(sessionId)])
    expect(await agent.emit(sessionId, text('by the new key'))).toBe(2)
    const detail = JSON.stringify({ before: before?.keyFingerprint, keyFingerprint })
    expect(await audit()).toEqual([{ outcome: 'ok', detail }])
  })

  it('[A20] asks for nothing beside: a request that names a right is none', async () => {
    const { request } = await agent.rotation()
    expect(RotateKeyRequest.safeParse(request).success).toBe(true)
    for (const more of [{ state: 'active' }, { name: 'x' }, { tags: ['x'] }, { roots: ['/'] }, { maxSandbox: 'x' }])
      expect(RotateKeyRequest.safeParse({ ...request, ...more }).success).toBe(false)
  })

  it('[A20] [T56] [JOIN-2.5] the old key is dead: for a connection, for the socket it has open, for another rotation', async () => {
    const sessionId = await liveSession(hub, agent)
    const old = hub.adopt(agent)
    const late = agent.append(sessionId, text('after the rotation'))
    await agent.rotateKey()
    expect(await agent.send(sessionId, late).catch(() => null)).not.toMatchObject({ ok: true })
    await agent.waiter.until(() => !agent.socket.connected)
    expect((await hub.core.sessions.snapshot(ana, sessionId)).head).toBe(1)
    expect(await old.open()).toBe('refused')
    await expect(old.rotateKey()).rejects.toMatchObject(refusedWith('AUTH_FAILED'))
    expect((await audit()).map(({ outcome }) => outcome)).toEqual(['ok', 'refused'])
    await agent.connect([agent.report(sessionId)])
  })

  it('[A20] [A22] [LINK-1] [JOIN-2.5] the old key is dead also on a connection that it opened before, and on which nothing was said yet', async () => {
    const old = hub.adopt(agent)
    expect(await old.open(await old.credential(), () => agent.rotateKey())).toBe('revoked')
    expect(old.revoked).toMatchObject([{ code: 'FENCED' }])
    await agent.waiter.until(() => !agent.socket.connected)
    await agent.connect()
  })

  it('[JOIN-1.11] [T55] a key that was used does not come back in another spelling either', async () => {
    const again = hub.adopt(agent)
    again.keys = { ...agent.keys, publicKey: `${agent.publicKey}=` }
    const { token } = await hub.core.agents.makeToken(ana, {}, hub.key())
    await expect(again.enrol(token)).rejects.toMatchObject(refusedWith('AUTH_FAILED'))
    const { request } = await agent.rotation(again.keys)
    await expect(rotate(request)).rejects.toMatchObject(refusedWith('AUTH_FAILED'))
  })

  it('[A20] [T55] the same request a second time is refused, and no key that was used comes back', async () => {
    const { request, take } = await agent.rotation()
    const back = hub.adopt(agent)
    await rotate(request)
    await expect(rotate(request)).rejects.toMatchObject(refusedWith('AUTH_FAILED'))
    take()
    await expect(rotate((await agent.rotation(back.keys)).request)).rejects.toMatchObject(refusedWith('AUTH_FAILED'))
    const other = await hub.enrol('other')
    await expect(rotate((await agent.rotation(other.keys)).request)).rejects.toMatchObject(refusedWith('AUTH_FAILED'))
    const { token } = await hub.core.agents.makeToken(ana, {}, hub.key())
    await expect(back.enrol(token)).rejects.toMatchObject(refusedWith('ENROLLMENT_INVALID'))
  })

  it('[A20] [JOIN-2.8] one that died before it heard the answer asks again, and hears that it is done', async () => {
    const { request, next, take } = await agent.rotation()
    const { keyFingerprint } = await rotate(request)
    expect(await rotate((await agent.rotation(next)).request)).toEqual({ agentId: agent.agentId, keyFingerprint })
    expect(await audit()).toHaveLength(1)
    take()
    await agent.connect()
  })

  it('[T55] [JOIN-2.3] nobody else does it: not without the old key, nor for a key that they do not hold', async () => {
    const thief = await hub.enrol('thief')
    const theirs = (await thief.rotation()).request
    const mine = (await agent.rotation()).request
    const tries = [
      { ...theirs, agentId: agent.agentId },
      { ...(await agent.rotation()).request, newSignature: mine.signature },
      { ...(await agent.rotation()).request, signature: mine.newSignature },
      { ...(await agent.rotation()).request, agentId: thief.agentId },
      { ...(await agent.rotation()).request, agentId: 'agt_nobody' },
      { ...(await agent.rotation()).request, nonce: 'bm9uY2U' },
      { ...(await agent.rotation()).request, newPublicKey: '' },
    ]
    for (const one of tries) await expect(rotate(one)).rejects.toMatchObject(refusedWith('AUTH_FAILED'))
    expect((await rowOf())?.publicKey).toBe(agent.publicKey)
    expect(await audit()).toEqual([])
  })

  it.each([
    ['revoked', { state: 'revoked' }, 'AGENT_REVOKED'],
    ['disabled', { state: 'disabled' }, 'AGENT_DISABLED'],
    ['waiting for approval', { state: 'pending' }, 'AGENT_PENDING'],
    ['cloned', { clonedAt: new Date() }, 'AGENT_CLONED'],
  ])('[A20] [A22] [JOIN-2.7] not while it is %s', async (_what, data, code) => {
    await hub.store.prisma.agent.update({ where: { agentId: agent.agentId }, data })
    await expect(agent.rotateKey()).rejects.toMatchObject(refusedWith(code))
    expect((await rowOf())?.publicKey).toBe(agent.publicKey)
    expect(await audit()).toEqual([{ outcome: 'refused', detail: JSON.stringify({ why: code }) }])
  })

  it('[JOIN-4.5] [T59] a copy of its disk is found afterwards as it was before', async () => {
    await agent.rotateKey()
    await agent.waiter.until(() => !agent.socket.connected)
    const copy = hub.adopt(agent)
    await agent.connect()
    expect(await copy.open()).toBe('welcome')
    expect(await copy.hello()).toMatchObject({ error: { code: 'AGENT_CLONED' } })
    await agent.waiter.until(() => !agent.socket.connected)
  })
})
