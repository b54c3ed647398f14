import type { OpenAsk } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { log, person, program } from '../../../testing/bus-program'
import { TestHub } from '../../../testing/test-hub'
import { join } from '../peers/peer-life'
import { withoutDamaged } from './damaged-rows'

it('[BUS-7.10] each damaged row is logged once and counted, however many read past it', async () => {
  const logged: object[] = []
  const lot = { rows: [], next: 9, isEnd: false, damaged: [4, 7] }
  const after = withoutDamaged(async () => lot, { warn: (facts) => void logged.push(facts) })
  const limit = { rows: 10, chars: 10 }
  expect([await after(0, limit), await after(3, limit)]).toEqual([lot, lot])
  expect(logged).toEqual([
    { offset: 4, damagedInAll: 1 },
    { offset: 7, damagedInAll: 2 },
  ])
})

it('[BUS-7.10] damaged rows of peers, tasks and asks keep nobody from the bus, and a peer whose row is damaged joins anew', async () => {
  const hub = await TestHub.start()
  await person(hub, 'eve', 'admin')
  const [worker, boss] = [await program(hub, 'eve', 'worker'), await program(hub, 'eve', 'orchestrator')]
  const { peer } = join(
    { peerId: worker.peerId, kind: 'token', role: 'worker', name: 'w', agentId: null, userId: 'eve' },
    1,
  )
  const ask = { requestId: 'r1', kind: 'REQUEST', message: 'May I?', options: [], at: 1 } satisfies OpenAsk
  const others = ['kind', 'state', 'facts', 'phases', 'seen'].map((peerId) => ({ ...peer, peerId }))
  await hub.store.bus.append({
    rows: [],
    peers: [peer, ...others, { ...peer, peerId: 'whole' }],
    tasks: [{ taskId: 't1', peerId: 'whole', ownerId: 'eve' }],
    asks: [{ step: 'open', peerId: 'whole', ask }],
  })
  const damage = async (set: string, peerId: string) =>
    hub.store.prisma.$executeRawUnsafe(`UPDATE BusPeer SET ${set} WHERE peerId = '${peerId}'`)
  await damage(`facts = '{'`, worker.peerId)
  await damage(`kind = x'ff'`, 'kind')
  await damage(`state = 'gone'`, 'state')
  await damage(`facts = '[]'`, 'facts')
  await damage(`facts = '{"phasesCompleted":7}'`, 'phases')
  await damage(`seenAt = 'soon'`, 'seen')
  for (const table of ['BusTask (taskId, peerId, ownerId)', 'BusAsk (peerId, requestId, kind, message, at)'])
    await hub.store.prisma.$executeRawUnsafe(
      table.startsWith('BusTask')
        ? `INSERT INTO ${table} VALUES (x'00', 'whole', 'eve')`
        : `INSERT INTO ${table} VALUES ('whole', 'r2', 'SHOUT', x'ff', 'soon')`,
    )
  expect((await worker.publish(log(worker.peerId, 'I am back'))).results).toMatchObject([{ ok: true }])
  const { items } = await hub.core.bus.peers(boss.actor)
  expect(items.map(({ peerId, asks }) => [peerId, asks])).toEqual([
    ['whole', [ask]],
    [worker.peerId, []],
  ])
  await hub.core.tick()
  await hub.stop()
})
