import { describe, expect, it } from 'vitest'
import { heard, message, type Program, person, phase, program } from '../../testing/bus-program'
import { TestHub } from '../../testing/test-hub'
import { type Accepted, askStepOf } from './open-asks'

const said = (name: string, data: object, more: Partial<Accepted> = {}): Accepted => {
  const to = name.startsWith('cmd-') ? 'cmd' : 'worker'
  const word = name.replace(/^(cmd|worker)-(.*)-v1$/, '$2').replace('-', '_')
  return { topic: `${to}.p.${word}`, schema: name, data: { ...data }, correlationId: null, storedAt: 7, ...more }
}
const event = (kind: string, more: object = {}) =>
  said('worker-event-v1', { kind, severity: 'info', message: 'May I?', request_id: 'r1', ...more })
const open = (kind: 'BLOCKED' | 'REQUEST') => ({
  step: 'open',
  peerId: 'p',
  ask: { requestId: 'r1', kind, message: 'May I?', at: 7 },
})
const close = (requestId: string | null) => ({ step: 'close', peerId: 'p', requestId })

describe('[BUS-12] what a peer waits for', () => {
  it.each<[string, Accepted, unknown]>([
    ['BLOCKED opens it', event('BLOCKED'), open('BLOCKED')],
    ['REQUEST opens it', event('REQUEST'), open('REQUEST')],
    ['another event changes nothing', event('PROGRESS'), null],
    ['a heartbeat changes nothing', said('worker-heartbeat-v1', {}), null],
    ['the next phase closes all', said('worker-phase-v1', { phase: 'SPAWN' }), close(null)],
    ['the completion closes all', said('worker-complete-v1', {}), close(null)],
    ['approve closes what it names', said('cmd-approve-v1', { correlation_id: 'r1' }), close('r1')],
    [
      'unblock is an approval',
      said('cmd-approve-v1', { correlation_id: 'r1' }, { topic: 'cmd.p.unblock' }),
      close('r1'),
    ],
    ['reject closes what it names', said('cmd-reject-v1', { correlation_id: 'r1' }), close('r1')],
    ['the envelope may name it', said('cmd-set-phase-v1', {}, { correlationId: 'r1' }), close('r1')],
    ['a phase that is set and names nothing closes all', said('cmd-set-phase-v1', {}), close(null)],
    ['text that names nothing closes all', said('cmd-inject-text-v1', { text: 'Go on.' }), close(null)],
    ['text closes what it names', said('cmd-inject-text-v1', { text: 'Go on.' }, { correlationId: 'r1' }), close('r1')],
    ['pause answers nothing', said('cmd-pause-v1', {}), null],
    ['abort answers nothing', said('cmd-abort-v1', { reason: 'x' }), null],
    ['a command to a role is for nobody by name', said('cmd-approve-v1', {}, { topic: 'cmd.role.worker' }), null],
    ['a task is not about a peer', said('task-done-v1', {}, { topic: 'task.t.done' }), null],
  ])('%s', (_, accepted, step) => {
    expect(askStepOf(accepted)).toEqual(step)
  })
})

describe('[BUS-12] the hub', () => {
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
      const { results } = await again.core.bus.publish(boss.actor, [approve])
      expect(results).toMatchObject([{ ok: true }])
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
