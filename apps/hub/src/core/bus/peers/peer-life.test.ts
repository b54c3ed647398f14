import { describe, expect, it } from 'vitest'
import { heard, log, message, type Program, person, phase, program } from '../../../testing/bus-program'
import { liveSession } from '../../../testing/scenario'
import { TestHub } from '../../../testing/test-hub'

describe('[BUS-8] a peer that is silent', () => {
  const start = async () => {
    let now = 1_795_000_000_000
    const hub = await TestHub.start({ now: () => now })
    await person(hub, 'cleo', 'operator')
    const [worker, boss] = [await program(hub, 'cleo', 'worker'), await program(hub, 'cleo', 'orchestrator')]
    const pass = async (ms: number) => {
      now += ms
      await hub.core.tick()
    }
    return { hub, worker, boss, pass }
  }
  const told = async (boss: Program) => heard(await boss.read('system.peer.*'))

  it('is stale after 30 s by the hub’s clock, here again when it speaks, and gone after 5 min more', async () => {
    const { hub, worker, boss, pass } = await start()
    await hub.core.tick()
    await worker.publish(log(worker.peerId, 'hello'))
    await pass(30_000)
    expect(await told(boss)).toEqual(['system.peer.joined'])
    await pass(1)
    await pass(1_000)
    expect(await told(boss)).toEqual(['system.peer.joined', 'system.peer.stale'])
    expect((await boss.read('system.peer.stale'))[0]?.data).toEqual({
      peerId: worker.peerId,
      last_seen: '2026-11-18T11:06:40.000Z',
      missed_heartbeats: 3,
    })
    await worker.publish(log(worker.peerId, 'I live'))
    await pass(31_000)
    await pass(300_000)
    expect((await told(boss)).slice(2)).toEqual(['system.peer.stale', 'system.peer.left timeout'])
    await worker.publish(log(worker.peerId, 'a new life'))
    expect((await told(boss)).at(-1)).toBe('system.peer.joined')
    await hub.stop()
  })

  it.each([
    ['complete', 'clean'],
    ['in a terminal phase', 'timeout'],
  ])(
    '[BUS-8.4] [BUS-8.5] that is %s has no more to say: it is never stale, and has left after 5 min: %s',
    async (end, reason) => {
      const { hub, worker, boss, pass } = await start()
      await hub.core.tick()
      const data = { result: 'ok', summary: 'Done.', artifacts: [], phases_completed: [] }
      const last = {
        complete: message(`worker.${worker.peerId}.complete`, 'worker-complete-v1', data),
        'in a terminal phase': phase(worker.peerId, 'FAILED', 'PLAN'),
      }[end]
      await worker.publish(last ?? {})
      await pass(31_000)
      await pass(269_000)
      expect(await told(boss)).toEqual(['system.peer.joined'])
      await pass(1)
      expect(await told(boss)).toEqual(['system.peer.joined', `system.peer.left ${reason}`])
      await hub.stop()
    },
  )

  it('[BUS-9] is told once when the workers together cost more than the operator set, in money or in tokens', async () => {
    const hub = await TestHub.start({ busBudget: { usd: 10, tokens: 1_000 } })
    await person(hub, 'oz', 'owner')
    const [one, two] = [await program(hub, 'oz', 'worker'), await program(hub, 'oz', 'worker')]
    const boss = await program(hub, 'oz', 'orchestrator')
    const beat = ({ peerId }: Program, tokens_used: number, cost_usd: number) =>
      message(`worker.${peerId}.heartbeat`, 'worker-heartbeat-v1', {
        current_phase: 'PLAN',
        time_in_phase_ms: 1,
        tokens_used,
        cost_usd,
      })
    const warnings = async () => {
      await hub.core.tick()
      return (await boss.read('system.budget.warning')).map(({ data }) => data)
    }
    await one.publish(beat(one, 400, 6))
    expect(await warnings()).toEqual([])
    await two.publish(beat(two, 600, 0))
    const first = { current_usd: 6, threshold_usd: 10, current_tokens: 1_000, threshold_tokens: 1_000 }
    expect(await warnings()).toEqual([first])
    await two.publish(beat(two, 700, 0))
    expect(await warnings()).toEqual([first])
    await two.publish(beat(two, 0, 0))
    expect(await warnings()).toEqual([first])
    await two.publish(beat(two, 0, 4))
    expect(await warnings()).toEqual([first, { ...first, current_usd: 10, current_tokens: 400 }])
    await hub.stop()
  })

  it('while its hub was down is not stale at once', async () => {
    const { hub, worker, boss } = await start()
    await hub.core.tick()
    await worker.publish(log(worker.peerId, 'hello'))
    await hub.crash()
    let now = 1_795_000_000_000 + 3_600_000
    const again = await TestHub.start({ file: hub.store.file, now: () => now })
    await again.core.tick()
    const seen = async () =>
      heard((await again.core.bus.page(boss.actor, { after: 0, pattern: 'system.**', limit: 9 })).items)
    expect(await seen()).toEqual(['system.peer.joined'])
    now += 30_001
    await again.core.tick()
    expect(await seen()).toEqual(['system.peer.joined', 'system.peer.stale'])
    await again.crash()
    await again.store.close()
    await hub.store.remove()
  })

  it('as a session is stale when its machine is offline, and never gone for that', async () => {
    const { hub, boss, pass } = await start()
    const agent = await hub.connectedAgent()
    await hub.store.prisma.machineShare.create({
      data: { userId: 'cleo', agentId: agent.agentId, createdAt: new Date(), createdBy: 'x' },
    })
    const reader = await program(hub, 'cleo', 'orchestrator')
    const sessionId = await liveSession(hub, agent)
    await expect.poll(() => told(reader)).toEqual(['system.peer.joined'])
    await pass(60_000)
    expect(await told(reader)).toEqual(['system.peer.joined'])
    await hub.leave(agent)
    await pass(30_001)
    await pass(400_000)
    expect(await told(reader)).toEqual(['system.peer.joined', 'system.peer.stale'])
    expect((await hub.core.bus.peers(reader.actor)).items[0]).toMatchObject({ peerId: sessionId, state: 'stale' })
    expect(await told(boss)).toEqual([])
    await hub.stop()
  })
})
