import { type SessionEvent, SessionView } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { envelope, type FakeAgent, hashOf } from '../testing/fake-agent'
import { ask, created, hostState, liveHub, liveSession, requested, resolved, text, texts } from '../testing/scenario'
import { ana, type TestHub } from '../testing/test-hub'

describe('the stream of events from an agent', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
  })
  afterEach(() => hub.stop())

  const stored = async () => (await hub.core.sessions.events(ana, sessionId, { after: 0, limit: 1_000 })).events
  const seqs = async () => (await stored()).map((event) => event.seq)

  it('[ACK-1.1] is acknowledged cumulatively once it is stored, body and hash unchanged', async () => {
    const sent = agent.append(sessionId, text('hello'), text('world'))
    expect(await agent.send(sessionId, sent)).toEqual({ ok: true, acked: 3 })
    const [, ...events] = await stored()
    expect(events).toMatchObject(sent.map(({ at: _, ...event }) => event))
  })

  it('[ACK-3.1] [T9] [F9] stores a repeated batch once and acknowledges it again', async () => {
    const sent = agent.append(sessionId, ...texts(3))
    await agent.send(sessionId, sent)
    expect(await agent.send(sessionId, sent)).toEqual({ ok: true, acked: 4 })
    expect(await seqs()).toEqual([1, 2, 3, 4])
  })

  it('[ACK-4.1] [T8] [F10] refuses what skips ahead and names what it expects', async () => {
    const [, second] = agent.append(sessionId, text('lost'), text('early'))
    expect(await agent.send(sessionId, second ? [second] : [])).toMatchObject({
      ok: false,
      error: { code: 'SEQ_GAP', details: { expected: 2 }, retryable: true },
    })
    expect(await seqs()).toEqual([1])
  })

  it('[ACK-3.2] [ACK-3.3] [ACK-3.4] [T10] refuses another content under a stored number, overwrites nothing, and takes only a gap then', async () => {
    await agent.emit(sessionId, text('first'))
    const other = envelope(text('other'), 2)
    const next = envelope(text('next'), 3)
    expect(await agent.send(sessionId, [other])).toMatchObject({
      error: { code: 'SEQ_CONFLICT', details: { seq: 2, committed: 2 } },
    })
    expect(await agent.send(sessionId, [next])).toMatchObject({ error: { code: 'SEQ_CONFLICT' } })
    const gap = envelope({ kind: 'gap', from: 3, to: 3, reason: 'rebase' }, 3)
    expect(await agent.send(sessionId, [gap, envelope(text('next'), 4)])).toEqual({ ok: true, acked: 4 })
    expect((await stored()).map((event) => event.kind)).toEqual([
      'session_created',
      'assistant_text',
      'gap',
      'assistant_text',
    ])
  })

  it('[LOG-2.3] a gap stands for its range and is acknowledged as its end', async () => {
    const gap = envelope({ kind: 'gap', from: 2, to: 40, reason: 'pruned' }, 2)
    expect(await agent.send(sessionId, [gap, envelope(text('after'), 41)])).toEqual({ ok: true, acked: 41 })
    expect(await seqs()).toEqual([1, 2, 41])
  })

  describe('[REB-2.7] of a session whose beginning is nowhere any more', () => {
    const gap = () => envelope({ kind: 'gap', from: 1, to: 40, reason: 'pruned' }, 1)
    const soFar = {
      seq: 41,
      settings: { backend: 'scripted', workDir: '/w', model: 'scripted-small' },
      realWorkDir: '/real',
      title: 'Before',
      cost: 2,
    }
    const opened = async () => {
      const { items } = await hub.core.sessions.list(ana, { limit: 10 })
      const { session } = await hub.core.sessions.snapshot(ana, 'pruned')
      return { session: SessionView.parse(session), listed: items.find((row) => row.sessionId === 'pruned') }
    }

    it('[REB-2.6] is shown with what its machine knows', async () => {
      await agent.send('pruned', [gap(), envelope(text('after'), 41)], 'log_pruned', soFar)
      const { session, listed } = await opened()
      expect(session).toMatchObject({ settings: soFar.settings, realWorkDir: '/real', title: 'Before', cost: 2 })
      expect(listed).toMatchObject({ backend: 'scripted', workDir: '/real', title: 'Before' })
    })

    it.each([undefined, { seq: 'x' }, { ...soFar, settings: {} }])(
      '[REB-2.7] is shown without program and folder where an older agent says nothing, or something else: %o',
      async (told) => {
        await agent.send('pruned', [gap(), envelope(text('after'), 41)], 'log_pruned', told)
        const { session, listed } = await opened()
        expect(session).toMatchObject({ settings: { backend: '', workDir: '' }, title: 'after', head: 41 })
        expect(listed).toMatchObject({ backend: '', workDir: '' })
      },
    )
  })

  it('[SES-1.2] refuses the session of another agent and stores nothing', async () => {
    const stranger = await hub.connectedAgent('other')
    const reply = await stranger.send(sessionId, [envelope(text('mine now'), 2)])
    expect(reply).toMatchObject({ error: { code: 'SESSION_NOT_YOURS' } })
    expect(await seqs()).toEqual([1])
  })

  it('[SES-3.8] re-creates an unknown session from its first event, owned by its agent', async () => {
    await agent.emit('imported', created('log_imported'), text('from before'))
    const snapshot = await hub.core.sessions.snapshot(ana, 'imported')
    expect(snapshot).toMatchObject({ head: 2, session: { agentId: agent.agentId, settings: { backend: 'scripted' } } })
  })

  it('[BAD-2.1] [T7] keeps a tombstone in place of a payload that it cannot read, and the stream goes on', async () => {
    const body = JSON.stringify({ kind: 'tool_use', callId: 7 })
    const bad = { seq: 2, kind: 'tool_use', v: 1, at: 1, hash: hashOf(body), body }
    expect(await agent.send(sessionId, [bad, envelope(text('fine'), 3)])).toEqual({ ok: true, acked: 3 })
    const [, tombstone, next] = await stored()
    expect(JSON.parse(tombstone?.body ?? '')).toEqual({
      kind: 'tombstone',
      code: 'INVALID_PAYLOAD',
      path: 'callId',
      bytes: body.length,
      sha256: hashOf(body),
    })
    expect(next?.kind).toBe('assistant_text')
    expect(hub.warnings).toContainEqual(expect.objectContaining({ message: 'system.malformed.received', seq: 2 }))
  })

  it('[F19] [BAD-2.2] keeps a tombstone in place of a row whose bytes changed on the disk of the machine', async () => {
    const whole = envelope(text('a word'), 2)
    const damaged = { ...whole, body: whole.body.replace('word', 'wosd') }
    expect(await agent.send(sessionId, [damaged, envelope(text('fine'), 3)])).toEqual({ ok: true, acked: 3 })
    const [, tombstone, next] = await stored()
    expect(JSON.parse(tombstone?.body ?? '')).toMatchObject({ code: 'DAMAGED', sha256: whole.hash })
    expect(next?.kind).toBe('assistant_text')
  })

  it('[BAD-3.1] [T5] keeps an unknown kind as it came, as opaque', async () => {
    const body = JSON.stringify({ kind: 'hologram', depth: 3 })
    const unknown = { seq: 2, kind: 'hologram', v: 1, at: 1, hash: hashOf(body), body }
    expect(await agent.send(sessionId, [unknown])).toEqual({ ok: true, acked: 2 })
    expect((await stored()).at(-1)).toMatchObject({ kind: 'opaque', body, hash: hashOf(body) })
    expect(await agent.send(sessionId, [unknown])).toEqual({ ok: true, acked: 2 })
  })

  it.each([-1, 0, 1.5, 2 ** 53])('[T11] a number of %s is a malformed frame', async (seq) => {
    const reply = await agent.send(sessionId, [{ ...envelope(text('x'), 2), seq }])
    expect(reply).toMatchObject({ error: { code: 'MALFORMED_FRAME' } })
    expect(await seqs()).toEqual([1])
  })

  it('[BAD-1.2] blocks the stream after five malformed frames; other sessions go on', async () => {
    const other = await liveSession(hub, agent)
    const codes: string[] = []
    for (let i = 0; i < 5; i += 1) {
      const reply = await agent.ask('events', { sessionId, logId: 'log_x', events: 'many' })
      codes.push(reply.ok ? 'ok' : reply.error.code)
    }
    expect(codes).toEqual([...Array(4).fill('MALFORMED_FRAME'), 'SESSION_BLOCKED'])
    expect(await agent.send(sessionId, agent.append(sessionId, text('x')))).toMatchObject({
      error: { code: 'SESSION_BLOCKED' },
    })
    expect((await hub.core.sessions.snapshot(ana, sessionId)).session.blocked).toBe(true)
    expect(await agent.emit(other, text('fine'))).toBe(2)
  })

  it.each([
    ['a text', 'hello'],
    ['a list', [1, 2]],
    ['nothing', null],
  ])('[T2] a frame that is %s is refused, and the hub lives on', async (_what, frame) => {
    for (const event of ['hello', 'sessions', 'events', 'state', 'live', 'command', 'manifest']) {
      expect(await agent.ask(event, frame)).toMatchObject({ ok: false, error: { code: 'MALFORMED_FRAME' } })
    }
    expect(await agent.emit(sessionId, text('still here'))).toBe(2)
  })

  it('[T2] ten thousand levels are refused in a frame, and kept as a tombstone in a payload', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
    const state = JSON.stringify(hostState(sessionId, { requests: [ask('r1', { input: 'DEEP' })] }))
    for (const frame of [deep, state.replace('"DEEP"', deep)]) {
      agent.raw(`2/agent,["events",${frame}]`)
      agent.raw(`2/agent,["state",${frame}]`)
    }
    const body = JSON.stringify(requested('r2', { input: 'DEEP' })).replace('"DEEP"', deep)
    const bad = { seq: 2, kind: 'permission_requested', v: 1, at: 1, hash: hashOf(body), body }
    expect(await agent.send(sessionId, [bad, envelope(text('fine'), 3)])).toEqual({ ok: true, acked: 3 })
    expect((await stored())[1]).toMatchObject({ kind: 'tombstone', body: expect.stringContaining('TOO_DEEP') })
    expect((await hub.core.sessions.snapshot(ana, sessionId)).session.requests).toEqual([])
  })

  it('[T1] a frame of two megabytes ends the connection, and the log says why', async () => {
    agent.raw(`2/agent,["events",{"sessionId":"${'x'.repeat(2_097_152)}"}]`)
    await agent.waiter.until(() => !agent.socket.connected)
    await hub.until(() => hub.warnings.some((line) => line.message === 'the link of an agent broke'))
    expect(hub.warnings.find((line) => line.message === 'the link of an agent broke')).toMatchObject({
      agentId: agent.agentId,
      why: expect.stringContaining('payload'),
    })
    await agent.connect([agent.report(sessionId)])
    expect(await agent.emit(sessionId, text('back'))).toBe(2)
  })

  it('[T15] a packet that announces attachments ends the connection before any is kept', async () => {
    agent.raw('510000-/agent,["events",{"_placeholder":true,"num":0}]')
    await agent.waiter.until(() => !agent.socket.connected)
    expect((await hub.core.sessions.snapshot(ana, sessionId)).head).toBe(1)
  })

  it('[T4] takes NUL bytes, lone surrogates and replacement marks as they are', async () => {
    const odd: SessionEvent = { kind: 'assistant_text', text: 'a\u0000b \ufffd \ud800 c', lossy: true }
    await agent.emit(sessionId, odd)
    expect(JSON.parse((await stored()).at(-1)?.body ?? '')).toEqual(odd)
  })

  it('[T13] [FLOW-1.1] more than the credit is refused once, then ends the connection', async () => {
    const gate = await hub.holdGate()
    const batch = agent.append(sessionId, ...texts(64))
    const replies = Array.from({ length: 18 }, () => agent.send(sessionId, batch))
    const refusals = await Promise.all(replies.slice(16))
    expect(refusals).toMatchObject([{ error: { code: 'FLOW_VIOLATION' } }, { error: { code: 'FLOW_VIOLATION' } }])
    await agent.waiter.until(() => agent.revoked.length === 1)
    await gate.release()
    expect(agent.revoked).toMatchObject([{ code: 'FLOW_VIOLATION' }])
    await Promise.allSettled(replies)
  })

  it('[LINK-5.10] a request is on screen from the state alone, and stays as it was shown when its event comes', async () => {
    const viewer = await hub.viewer()
    await viewer.ask('watch', { sessionId, afterSeq: 1, hubEpoch: hub.core.hub.hubEpoch() })
    await agent.state(hostState(sessionId, { status: { status: 'needs_you' }, requests: [ask('r1')], atSeq: 900 }))
    await viewer.until(() => viewer.views.at(-1)?.requests.length === 1)
    expect(viewer.view).toMatchObject({ status: { status: 'needs_you' }, requests: [{ ask: { requestId: 'r1' } }] })
    await agent.emit(sessionId, requested('r1', { reason: 'to look around' }))
    await viewer.until(() => viewer.view.head === 2)
    expect(viewer.view.requests[0]?.ask).not.toHaveProperty('reason')
  })

  it('[LINK-5.9] what a stored event has closed stays closed, whatever an old state says', async () => {
    await agent.emit(sessionId, requested('r1'), resolved('r1', 'applied'))
    await agent.state(hostState(sessionId, { status: { status: 'needs_you' }, requests: [ask('r1')], atSeq: 2 }))
    const { session } = await hub.core.sessions.snapshot(ana, sessionId)
    expect(session.requests).toEqual([])
    expect(session.status.status).not.toBe('needs_you')
  })
})
