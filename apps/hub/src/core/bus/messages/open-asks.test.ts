import { describe, expect, it } from 'vitest'
import { heard, message, type Program, person, phase, program } from '../../../testing/bus-program'
import { TestHub } from '../../../testing/test-hub'
import { type Accepted, askStepOf } from './open-asks'

const said = (name: string, data: object, more: Partial<Accepted> = {}): Accepted => {
  const to = name.startsWith('cmd-') ? 'cmd' : 'worker'
  const word = name.replace(/^(cmd|worker)-(.*)-v1$/, '$2').replace('-', '_')
  const envelope = { correlationId: null, storedAt: 7, sessionId: null, fromPeer: to === 'cmd' ? 'boss' : 'p' }
  return { topic: `${to}.p.${word}`, schema: name, data: { ...data }, ...envelope, ...more }
}
const event = (kind: string, more: object = {}) =>
  said('worker-event-v1', { kind, severity: 'info', message: 'May I?', request_id: 'r1', ...more })
const open = (kind: 'BLOCKED' | 'REQUEST', options: object[] = []) => ({
  step: 'open',
  peerId: 'p',
  ask: { requestId: 'r1', kind, message: 'May I?', options, at: 7 },
})
const moved = { step: 'moved', peerId: 'p', at: 7 }
const answered = (decision: string) => ({
  step: 'answered',
  peerId: 'p',
  requestId: 'r1',
  answer: { decision, by: 'Boss', peerId: 'boss', at: 7 },
  commandId: null,
})
const names = { correlation_id: 'r1' }

describe('[BUS-12.1] what a peer waits for', () => {
  it.each<[string, Accepted, unknown]>([
    ['BLOCKED opens it', event('BLOCKED'), open('BLOCKED')],
    ['REQUEST opens it', event('REQUEST'), open('REQUEST')],
    [
      'with the options that it offers, beside it or in its data',
      event('REQUEST', { data: { options: [{ id: 'A', label: 'rewrite' }] } }),
      open('REQUEST', [{ id: 'A', label: 'rewrite' }]),
    ],
    ['another event changes nothing', event('PROGRESS'), null],
    ['a heartbeat changes nothing', said('worker-heartbeat-v1', {}), null],
    ['the next phase closes all', said('worker-phase-v1', { phase: 'SPAWN' }), moved],
    ['the completion closes all', said('worker-complete-v1', {}), moved],
    ['approve answers what it names', said('cmd-approve-v1', names), answered('approve')],
    ['unblock is an approval', said('cmd-approve-v1', names, { topic: 'cmd.p.unblock' }), answered('approve')],
    ['reject answers what it names', said('cmd-reject-v1', names), answered('reject')],
    ['the envelope may name it', said('cmd-set-phase-v1', {}, { correlationId: 'r1' }), answered('set_phase')],
    ['a phase that is set and names nothing answers nothing', said('cmd-set-phase-v1', {}), null],
    ['text that names nothing answers nothing', said('cmd-inject-text-v1', { text: 'Go on.' }), null],
    ['text answers what it names', said('cmd-inject-text-v1', { text: 'Go on.', ...names }), answered('inject_text')],
    [
      'a command to a session answers nothing before its host says so',
      said('cmd-approve-v1', names, { sessionId: 'p' }),
      null,
    ],
    ['pause answers nothing', said('cmd-pause-v1', {}), null],
    ['abort answers nothing', said('cmd-abort-v1', { reason: 'x' }), null],
    ['a command to a role is for nobody by name', said('cmd-approve-v1', names, { topic: 'cmd.role.worker' }), null],
    ['a task is not about a peer', said('task-done-v1', {}, { topic: 'task.t.done' }), null],
  ])('%s', (_, accepted, step) => {
    expect(askStepOf(accepted, 'Boss')).toEqual(step)
  })
})

describe('[BUS-12.3] [BUS-12.7] the hub', () => {
  const ask = (peerId: string, request_id: string, text: string) =>
    message(`worker.${peerId}.event`, 'worker-event-v1', {
      kind: 'REQUEST',
      severity: 'info',
      message: text,
      request_id,
    })
  const asked = async (hub: TestHub, { actor }: Program, peerId: string) =>
    (await hub.core.bus.peers(actor)).items.find((peer) => peer.peerId === peerId)?.asks.map((one) => one.message)

  it('keeps what is open through a restart, closes what is answered, and tells whoever may see the peer', async () => {
    const hub = await TestHub.start()
    await person(hub, 'cleo', 'operator')
    await person(hub, 'mo', 'operator')
    const [worker, boss, other] = [
      await program(hub, 'cleo', 'worker'),
      await program(hub, 'cleo', 'orchestrator'),
      await program(hub, 'mo', 'orchestrator'),
    ]
    const rung: unknown[] = []
    hub.core.doorbells.on('peers', ({ of }) => rung.push(of.map(({ userId }) => userId)))
    await worker.publish(ask(worker.peerId, 'r1', 'Deploy?'), ask(worker.peerId, 'r2', 'Which one?'))
    expect(await asked(hub, boss, worker.peerId)).toEqual(['Deploy?', 'Which one?'])
    expect(await asked(hub, other, worker.peerId)).toBeUndefined()
    expect(rung).toContainEqual(['cleo', 'cleo'])
    await hub.crash()

    const again = await TestHub.start({ file: hub.store.file })
    try {
      expect(await asked(again, boss, worker.peerId)).toEqual(['Deploy?', 'Which one?'])
      const approve = message(`cmd.${worker.peerId}.approve`, 'cmd-approve-v1', { correlation_id: 'r1' })
      const { results } = await again.core.bus.publish(boss.actor, [approve], { name: 'Ana' })
      expect(results).toMatchObject([{ ok: true }])
      // Whatever a program calls itself, its answer is that of its person's program (AUTH-3.4).
      const { answer } = await again.core.asks.find(boss.actor, worker.peerId, 'r1')
      expect(answer).toMatchObject({ by: 'cleo (orchestrator)', peerId: boss.peerId })
      expect(await asked(again, boss, worker.peerId)).toEqual(['Which one?'])
      await again.core.bus.publish(worker.actor, [phase(worker.peerId, 'SPAWN', 'PLAN')])
      expect(await asked(again, boss, worker.peerId)).toEqual([])
      expect(heard((await again.core.bus.page(boss.actor, { after: 0, pattern: 'cmd.**', limit: 9 })).items)).toEqual([
        `cmd.${worker.peerId}.approve`,
      ])
    } finally {
      await again.crash()
      await again.store.close()
      await hub.store.remove()
    }
  })

  it('keeps the newest 32 of a peer, and none of one that left', async () => {
    const hub = await TestHub.start()
    await person(hub, 'cleo', 'operator')
    const [worker, boss] = [await program(hub, 'cleo', 'worker'), await program(hub, 'cleo', 'orchestrator')]
    await worker.publish(...Array.from({ length: 40 }, (_, i) => ask(worker.peerId, `r${i}`, `${i}`)))
    const expected = Array.from({ length: 32 }, (_, i) => `${i + 8}`)
    expect(await asked(hub, boss, worker.peerId)).toEqual(expected)
    await hub.core.bus.leave(worker.peerId, 'clean')
    expect(await asked(hub, boss, worker.peerId)).toEqual([])
    await hub.stop()
  })
})
