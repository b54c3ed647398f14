import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { message, type Program, person, phase, program } from '../../testing/bus-program'
import { ana, ben, TestHub, vic } from '../../testing/test-hub'

describe('[BUS-12.10] the inbox', () => {
  let hub: TestHub
  let worker: Program
  beforeEach(async () => {
    hub = await TestHub.start()
    await person(hub, 'cleo', 'operator')
    worker = await program(hub, 'cleo', 'worker')
  })
  afterEach(() => hub.stop())

  const ask = (request_id: string) =>
    message(`worker.${worker.peerId}.event`, 'worker-event-v1', {
      kind: 'REQUEST',
      severity: 'info',
      message: 'Deploy?',
      request_id,
      data: { options: ['now'] },
    })

  it('has what programs ask as entries of their own, for whoever may see the program, until they are answered', async () => {
    await worker.publish(ask('r1'))
    const { asks, requests } = await hub.core.inbox.get(ana)
    expect(requests).toEqual([])
    expect(asks).toEqual([
      {
        peerId: worker.peerId,
        kind: 'token',
        name: expect.any(String),
        ask: {
          requestId: 'r1',
          kind: 'REQUEST',
          message: 'Deploy?',
          options: [{ id: 'now', label: 'now' }],
          at: expect.any(Number),
        },
      },
    ])
    for (const other of [ben, vic]) expect((await hub.core.inbox.get(other)).asks).toEqual([])
    await hub.core.asks.answer(ana, worker.peerId, 'r1', { decision: 'approve' }, hub.key())
    expect((await hub.core.inbox.get(ana)).asks).toEqual([])
  })

  it('steps when an ask comes or goes, and tells nobody who may not see it; a worker that only moves on is no step', async () => {
    const [mine, other] = [await hub.viewer(ana), await hub.viewer(vic)]
    await mine.ask('watch.inbox', {})
    await other.ask('watch.inbox', {})
    let rev = 0
    const step = async () => {
      await mine.waiter.until(() => (mine.inbox.at(-1)?.rev ?? 0) > rev)
      rev = mine.inbox.at(-1)?.rev ?? 0
    }
    await worker.publish(ask('r1'))
    await step()
    await hub.core.asks.answer(ana, worker.peerId, 'r1', { decision: 'reject' }, hub.key())
    await step()
    await worker.publish(phase(worker.peerId, 'SPAWN', 'PLAN'))
    await step()
    const before = rev
    await worker.publish(phase(worker.peerId, 'DEPLOY', 'SPAWN'))
    await worker.publish(ask('r2'))
    await step()
    expect(rev).toBe(before + 1)
    expect(other.inbox).toEqual([])
  })
})
