import type { EventEnvelope, SessionReport, Verdict } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { envelope, type FakeAgent } from '../testing/fake-agent'
import { created, hostState, liveHub, settings, text } from '../testing/scenario'
import { changing } from '../testing/stream-steps'
import { ana, type TestHub } from '../testing/test-hub'

const HOUR = 3_600_000

describe('a connection of an agent', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  let skipped = 0
  beforeEach(async () => {
    skipped = 0
    ;({ hub, agent, sessionId } = await liveHub({ now: () => Date.now() + skipped }))
    await agent.emit(sessionId, text('two'))
  })
  afterEach(() => hub.stop())

  const prompt = (promptId: string) => hub.core.sessions.prompt(ana, sessionId, { promptId, text: 'go' }, hub.key())
  const prompts = () => agent.commands.filter((command) => command.body.kind === 'prompt.send').length
  const prompted = (count: number) => agent.waiter.until(() => prompts() === count)
  const report = async (reports: SessionReport[], last = true): Promise<Verdict[]> => {
    const reply = await agent.ask<{ verdicts: Verdict[] }>('sessions', { sessions: reports, last })
    return reply.ok ? reply.verdicts : []
  }
  /** What the hub was asked before has been worked off. */
  const settled = async () => {
    await agent.state(hostState('s_none'))
    await hub.store.ingest.change({}, changing(), 0)
    await hub.core.tick()
  }
  const gap = (seq: number) => envelope({ kind: 'gap', from: seq, to: seq, reason: 'rebase' }, seq)
  const other = (seq: number) => envelope(text(`other ${seq}`), seq)
  const send = (events: EventEnvelope[], logId = 'log_other') => agent.send(sessionId, events, logId)
  const reconnect = async () => {
    await hub.leave(agent)
    expect(await agent.open()).toBe('welcome')
    await agent.hello()
  }
  const otherLog = () => agent.report(sessionId, { logId: 'log_other', last: 4 })

  it('[CMD-2.6] [CMD-2.7] [LINK-2] gets no command for a session before its verdict, nor before the last page for others', async () => {
    await reconnect()
    const { commandId } = await prompt('p1')
    await settled()
    await report([agent.report('s_unheard_of')], false)
    await settled()
    expect([prompts(), hub.commandState(commandId)]).toEqual([0, 'pending'])
    await report([agent.report(sessionId)], false)
    await prompted(1)
    const made = await hub.core.sessions.create(ana, { agentId: agent.agentId, settings }, hub.key())
    await settled()
    expect(hub.commandState(made.commandId)).toBe('pending')
    await report([])
    await agent.waiter.until(() => agent.commands.some((command) => command.commandId === made.commandId))
  })

  it('[REB-1] [CMD-2.8] after the verdict rebase takes the gap alone, and sends commands only behind it', async () => {
    await reconnect()
    expect(await report([otherLog()])).toEqual([{ sessionId, verdict: 'rebase', to: 2 }])
    const { commandId } = await prompt('p1')
    expect(await send([other(3)])).toMatchObject({ error: { code: 'SEQ_CONFLICT', details: { seq: 3, committed: 2 } } })
    expect(await send([other(3)], agent.log(sessionId).logId)).toMatchObject({ error: { code: 'SEQ_CONFLICT' } })
    await settled()
    expect([prompts(), hub.commandState(commandId)]).toEqual([0, 'pending'])
    expect(await send([gap(3), other(4)])).toEqual({ ok: true, acked: 4 })
    await prompted(1)
  })

  it('[REB-1] [ACK-3.5] is not released by a report that it repeats', async () => {
    await send([other(2)], agent.log(sessionId).logId)
    const { commandId } = await prompt('p1')
    expect(await report([agent.report(sessionId)])).toMatchObject([{ verdict: 'resume' }])
    await settled()
    expect(await send([other(3)], agent.log(sessionId).logId)).toMatchObject({ error: { code: 'SEQ_CONFLICT' } })
    expect([prompts(), hub.commandState(commandId)]).toEqual([0, 'pending'])
  })

  it('[REB-1] [ACK-3.6] is not stopped by a conflict that was on its way before the rebase', async () => {
    await send([other(2)])
    expect(await send([gap(3), other(4)])).toMatchObject({ ok: true })
    expect(await send([other(2)])).toMatchObject({ error: { code: 'SEQ_CONFLICT' } })
    expect(await send([other(5)])).toEqual({ ok: true, acked: 5 })
    await prompt('p1')
    await prompted(1)
  })

  it('[ACK-3.4] [ACK-2] a conflict stops the batch behind it, also within one group commit', async () => {
    const { logId } = agent.log(sessionId)
    const gate = await hub.holdGate()
    const replies = [
      send([other(2)], logId),
      send([other(3)], logId),
      send([gap(3), other(4)], logId),
      send([other(5)], logId),
    ]
    await hub.heard('events')
    await gate.release()
    expect(await Promise.all(replies)).toMatchObject([
      { error: { code: 'SEQ_CONFLICT' } },
      { error: { code: 'SEQ_CONFLICT' } },
      { ok: true, acked: 4 },
      { ok: true, acked: 5 },
    ])
  })

  it.each([
    ['done', 'outcome_unknown'],
    ['refused', 'refused'],
  ] as const)(
    '[REB-1] [CMD-2] a prompt of which it says %s, and whose events are lost, is %s behind the gap, with its text',
    async (state, shown) => {
      const { commandId } = await prompt('p1')
      await prompted(1)
      await agent.ask('command', { commandId, sessionId, answer: { state } })
      await reconnect()
      expect(await report([otherLog()])).toMatchObject([{ verdict: 'rebase' }])
      await agent.ask('command', { commandId, sessionId, answer: { state } })
      await send([gap(3), other(4)])
      expect(hub.commandState(commandId)).toBe(shown)
      await agent.ask('command', { commandId, sessionId, answer: { state } })
      const { commands } = (await hub.core.sessions.snapshot(ana, sessionId)).session
      expect(commands).toMatchObject([{ commandId, state: shown, promptId: 'p1', text: 'go' }])
    },
  )

  it('[REB-1] [CMD-2] a session is there before its first prompt is: that is of unknown outcome behind the gap', async () => {
    const ask = { agentId: agent.agentId, settings, prompt: 'begin' }
    const { sessionId: made, commandId } = await hub.core.sessions.create(ana, ask, hub.key())
    await agent.waiter.until(() => agent.commands.some((command) => command.commandId === commandId))
    await agent.emit(made, { ...created('log_made'), commandId })
    expect(hub.commandState(commandId)).toBe('accepted')
    await agent.send(made, [other(2)], 'log_other')
    await agent.send(made, [gap(2)], 'log_other')
    expect(hub.commandState(commandId)).toBe('outcome_unknown')
    const { commands } = (await hub.core.sessions.snapshot(ana, made)).session
    expect(commands).toMatchObject([{ kind: 'session.create', state: 'outcome_unknown', text: 'begin' }])
  })

  it('[CMD-4] nothing of a stopped session is called back', async () => {
    agent.answer = () => new Promise(() => {})
    const { commandId } = await prompt('p1')
    await prompted(1)
    skipped = HOUR + 1_000
    await reconnect()
    await report([otherLog()])
    await settled()
    expect(agent.cancels).toEqual([])
    await send([gap(3), other(4)])
    expect(hub.commandState(commandId)).toBe('outcome_unknown')
  })

  it('[CMD-2.5] a command that a rebase overtook between its row and the socket is not sent', async () => {
    await reconnect()
    const { commandId } = await prompt('p1')
    const gate = await hub.holdGate()
    await report([agent.report(sessionId)])
    const heard = hub.heard('events')
    const rebased = send([gap(3), other(4)])
    await heard
    await new Promise(setImmediate) // the group commit waits at the gate, behind the row
    await gate.release()
    expect(await rebased).toMatchObject({ ok: true })
    await settled()
    expect([prompts(), hub.commandState(commandId)]).toEqual([0, 'outcome_unknown'])
  })
})
