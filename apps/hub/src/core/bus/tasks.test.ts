import type { SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heard, message, type Program, person, program } from '../../testing/bus-program'
import { liveSession } from '../../testing/scenario'
import { ana, TestHub } from '../../testing/test-hub'
import { TASKS_KEPT } from '../ports/bus-store'

describe('a task belongs to the person who assigned it', () => {
  let hub: TestHub
  const people: Record<'cleo' | 'dan', { boss: Program; worker: Program }> = {} as never
  beforeEach(async () => {
    hub = await TestHub.start()
    for (const name of ['cleo', 'dan'] as const) {
      await person(hub, name, 'operator')
      people[name] = {
        boss: await program(hub, name, 'orchestrator'),
        worker: await program(hub, name, 'worker'),
      }
    }
    for (const { worker } of Object.values(people)) await hub.core.bus.join(worker.actor, {})
  })
  afterEach(() => hub.stop())

  const assign = (boss: Program, peerId: string, task = 't1') =>
    boss.publish(message(`task.${task}.assign`, 'task-assign-v1', { peer_id: peerId }))
  const note = (words: string) => message('task.t1.note', 'task-note-v1', { message: words })
  /** As the hub does it, in one step with the number of changes. */
  const setRole = (id: string, role: string) =>
    hub.store.prisma.$transaction([
      hub.store.prisma.user.update({ where: { id }, data: { role } }),
      hub.store.prisma.hubState.updateMany({ data: { rightsVersion: { increment: 1 } } }),
    ])
  const tasksOf = async (of: Program) => heard(await of.read('task.**'))

  it('[BUS-7.8] two people give the same name to a task: the workers of one hear nothing of the other’s', async () => {
    const { cleo, dan } = people
    await assign(cleo.boss, cleo.worker.peerId)
    await assign(dan.boss, dan.worker.peerId)
    await cleo.worker.publish(note('of cleo'))
    await cleo.boss.publish(note('for cleo'))
    await dan.worker.publish(note('of dan'))
    expect(await tasksOf(cleo.worker)).toEqual(['task.t1.assign', 'task.t1.note of cleo', 'task.t1.note for cleo'])
    expect(await tasksOf(dan.worker)).toEqual(['task.t1.assign', 'task.t1.note of dan'])
    expect(await tasksOf(dan.boss)).toEqual(['task.t1.assign', 'task.t1.note of dan'])
  })

  it('[BUS-7.8] a worker with tasks of two people by one name hears both, and an admin’s word is enough across people', async () => {
    await person(hub, 'eve', 'admin')
    const admin = await program(hub, 'eve', 'orchestrator')
    const { cleo, dan } = people
    await assign(cleo.boss, cleo.worker.peerId)
    await assign(admin, cleo.worker.peerId)
    await assign(admin, dan.worker.peerId)
    await dan.worker.publish(note('of dan'))
    await cleo.boss.publish(note('for cleo'))
    expect(await tasksOf(cleo.worker)).toEqual([
      ...Array(3).fill('task.t1.assign'),
      'task.t1.note of dan',
      'task.t1.note for cleo',
    ])
    expect(await tasksOf(dan.worker)).toEqual([...Array(2).fill('task.t1.assign'), 'task.t1.note of dan'])
  })

  it('[BUS-7.8] what a session says on a task is no longer heard by workers of a person who lost its machine', async () => {
    const agent = await hub.connectedAgent()
    const sessionId = await liveSession(hub, agent)
    const { userId } = people.cleo.worker.actor
    const share = { userId, agentId: agent.agentId }
    await hub.store.prisma.machineShare.create({ data: { ...share, createdAt: new Date(), createdBy: 'x' } })
    const [boss, worker] = [await program(hub, userId, 'orchestrator'), await program(hub, userId, 'worker')]
    await hub.core.bus.join(worker.actor, {})
    const says = (id: string): SessionEvent => ({
      kind: 'published',
      id,
      topic: 'task.t1.note',
      schema: 'task-note-v1',
      data: { message: id },
    })
    await agent.emit(sessionId, { kind: 'session_started', procId: 'p1', backendSessionId: 'b1', resumed: false })
    await expect.poll(async () => (await boss.read('worker.**')).length).toBe(1)
    for (const peerId of [sessionId, worker.peerId])
      expect((await assign(boss, peerId)).results).toMatchObject([{ ok: true }])
    await agent.emit(sessionId, says('before'))
    await expect.poll(() => tasksOf(worker)).toContain('task.t1.note before')
    await hub.store.prisma.machineShare.deleteMany({ where: share })
    await agent.emit(sessionId, says('after'))
    await hub.core.tick()
    const login = await hub.core.account.byToken(worker.token)
    const { items } = await hub.core.bus.page(login?.actor ?? worker.actor, { after: 0, pattern: 'task.**', limit: 50 })
    expect(heard(items)).toEqual(['task.t1.assign', 'task.t1.assign'])
    await hub.core.sessions.remove(ana, sessionId, hub.key())
    await expect
      .poll(async () => [await hub.core.tick(), (await hub.store.bus.tasks()).map(({ peerId }) => peerId)][1])
      .toEqual([worker.peerId])
  })

  it('[BUS-7.8] a task of somebody who was an admin counts only as far as they still see: neither heard nor published on', async () => {
    await person(hub, 'eve', 'admin')
    const admin = await program(hub, 'eve', 'orchestrator')
    const { cleo, dan } = people
    const own = await program(hub, 'eve', 'worker')
    await hub.core.bus.join(own.actor, {})
    for (const { peerId } of [cleo.worker, dan.worker, own]) await assign(admin, peerId)
    await dan.worker.publish(note('of dan'))
    expect(await tasksOf(cleo.worker)).toContain('task.t1.note of dan')
    await setRole('eve', 'operator')
    const { results } = await dan.worker.publish(note('of dan, later'))
    expect(results).toMatchObject([{ ok: false, error: { code: 'TOPIC_FORBIDDEN' } }])
    const login = await hub.core.account.byToken(own.token)
    const ofEve = await hub.core.bus.publish(login?.actor ?? own.actor, [note('of eve')])
    expect(ofEve.results).toMatchObject([{ ok: true }])
    expect(await tasksOf(cleo.worker)).toEqual([])
    await setRole('eve', 'admin')
    expect(await tasksOf(cleo.worker)).toContain('task.t1.note of dan')
  })

  it('[BUS-7.9] of one person, the newest assignments count, and those of others stay', async () => {
    const { cleo, dan } = people
    await assign(dan.boss, dan.worker.peerId)
    const task = (n: number) => ({ taskId: `n${n}`, peerId: cleo.worker.peerId, ownerId: 'cleo' })
    const tasks = Array.from({ length: TASKS_KEPT }, (_, n) => task(n))
    await assign(cleo.boss, cleo.worker.peerId)
    await hub.store.bus.append({ rows: [], tasks })
    const kept = await hub.store.bus.tasks()
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([
      TASKS_KEPT + 1,
      { taskId: 't1', peerId: dan.worker.peerId, ownerId: 'dan' },
      task(TASKS_KEPT - 1),
    ])
  })
})
