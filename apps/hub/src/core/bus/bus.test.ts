import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heard, log, message, type Program, person, phase, program } from '../../testing/bus-program'
import { TestHub } from '../../testing/test-hub'

describe('programs on the bus', () => {
  let hub: TestHub
  let now: number
  let worker: Program
  let boss: Program
  beforeEach(async () => {
    now = 1_795_000_000_000
    hub = await TestHub.start({ now: () => now })
    await person(hub, 'cleo', 'operator')
    worker = await program(hub, 'cleo', 'worker')
    boss = await program(hub, 'cleo', 'orchestrator')
  })
  afterEach(() => hub.stop())

  const codes = async (answer: Promise<{ results: unknown[] }>) =>
    (await answer).results.map((result) => {
      const { ok, error } = result as { ok: boolean; error?: { code: string } }
      return ok ? 'ok' : error?.code
    })
  const rows = async () => (await hub.store.bus.after(0, { rows: 1_000, chars: 1e9 })).rows

  it('[BUS-2] a message gets all eleven fields, the hub’s own among them, and dense offsets', async () => {
    const said = log(worker.peerId, 'hello', { correlation_id: 'r1', ts_published: '1999-01-01T00:00:00Z' })
    const more = { parent_id: 'p_boss', terminal_id: '5', from_peer: worker.peerId }
    const { results } = await worker.publish(said, log(worker.peerId, 'again', { ...more, from_name: 'audit-A' }))
    expect(results).toEqual([
      { ok: true, offset: 2, duplicate: false },
      { ok: true, offset: 3, duplicate: false },
    ])
    const [first, again] = await boss.read('worker.**')
    expect(again).toMatchObject({
      ...more,
      from_name: 'cleo (worker: audit-A)',
      correlation_id: null,
      ts_published: new Date(now).toISOString(),
    })
    expect(first).toEqual({
      offset: 2,
      topic: `worker.${worker.peerId}.event`,
      v: 1,
      id: said.id,
      correlation_id: 'r1',
      parent_id: null,
      from_peer: worker.peerId,
      from_name: 'cleo (worker)',
      terminal_id: null,
      ts_published: '1999-01-01T00:00:00Z',
      ts_server: new Date(now).toISOString(),
      schema: 'worker-event-v1',
      data: said.data,
    })
    expect((await rows()).map(({ offset }) => offset)).toEqual([1, 2, 3])
  })

  it('[BUS-2] a repeat is stored once, also within a batch and with other words, and gets the first offset', async () => {
    const said = log(worker.peerId, 'once')
    const other = { ...log(worker.peerId, 'twice'), id: said.id }
    const { results } = await worker.publish(said, other)
    const again = await worker.publish(said)
    expect([...results, ...again.results]).toEqual([
      { ok: true, offset: 2, duplicate: false },
      { ok: true, offset: 2, duplicate: true },
      { ok: true, offset: 2, duplicate: true },
    ])
    expect(heard(await boss.read('worker.**'))).toEqual([`worker.${worker.peerId}.event once`])
    await boss.publish({ ...log(boss.peerId, 'mine'), id: said.id })
    expect(await boss.read('worker.**')).toHaveLength(2)
  })

  it('[BUS-3] [BUS-4] what is bad is answered with a code and told, and refuses nothing else of its batch', async () => {
    const bad = [
      'text',
      log('somebody', 'not mine'),
      log(worker.peerId, 'forged', { from_peer: boss.peerId }),
      message('system.peer.left', 'system-peer-left-v1', { peerId: boss.peerId, role: 'worker', reason: 'clean' }),
      message(`cmd.${boss.peerId}.abort`, 'cmd-abort-v1', { reason: 'x' }),
      message(`worker.${worker.peerId}.event`, 'weather-v1', {}),
      message(`worker.${worker.peerId}.phase`, 'worker-phase-v2', {}),
      log(worker.peerId, 'x'.repeat(70_000)),
      log(worker.peerId, 'in another name', { from_name: 'The Hub' }),
      log(worker.peerId, 'good'),
    ]
    expect(await codes(worker.publish(...(bad as object[])))).toEqual([
      'MESSAGE_INVALID',
      'TOPIC_FORBIDDEN',
      'TOPIC_FORBIDDEN',
      'TOPIC_FORBIDDEN',
      'TOPIC_FORBIDDEN',
      'SCHEMA_UNKNOWN',
      'SCHEMA_UNKNOWN',
      'MESSAGE_TOO_LARGE',
      'NAME_NOT_ALLOWED',
      'ok',
    ])
    const told = await boss.read('system.**')
    expect(told.map(({ topic }) => topic)).toEqual([
      'system.peer.joined',
      'system.malformed.received',
      ...Array.from({ length: 4 }, () => 'system.gate.fired'),
      ...Array.from({ length: 4 }, () => 'system.malformed.received'),
    ])
    const { peerId } = worker
    const ofPhase = told.find(({ data }) => data.topic === `worker.${peerId}.phase`)
    expect(ofPhase?.data).toEqual({
      from: peerId,
      topic: `worker.${peerId}.phase`,
      error: 'SCHEMA_UNKNOWN: There is no schema worker-phase-v2.',
    })
    const gate = { tool: 'publish', reason: 'TOPIC_FORBIDDEN: publish forbidden: not your topic', peerId }
    expect(told.find(({ topic }) => topic === 'system.gate.fired')?.data).toEqual(gate)
    expect(JSON.stringify(told)).not.toContain('xxx')
  })

  it('[BUS-5] whoever publishes too much on one topic is told when to go on, and named once; others are not slowed', async () => {
    const many = (count: number, peerId = worker.peerId) => Array.from({ length: count }, (_, i) => log(peerId, `${i}`))
    const answers = await codes(worker.publish(...many(256)))
    expect(answers.filter((code) => code === 'RATE_LIMITED')).toHaveLength(6)
    expect(await codes(worker.publish(phase(worker.peerId, 'SPAWN', 'PLAN')))).toEqual(['ok'])
    expect(await codes(boss.publish(...many(200, boss.peerId)))).toEqual(Array.from({ length: 200 }, () => 'ok'))
    const [throttled, ...more] = await boss.read('system.throttled')
    expect(more).toEqual([])
    expect(throttled?.data).toEqual({
      peerId: worker.peerId,
      topic: `worker.${worker.peerId}.event`,
      limit: 250,
      dropped: 6,
    })
    now += 1_000
    expect(await codes(worker.publish(...many(250)))).toEqual(Array.from({ length: 250 }, () => 'ok'))
  })

  it('[BUS-6] an illegal phase is refused and told, and a repeat of a legal one is not illegal', async () => {
    const spawn = phase(worker.peerId, 'SPAWN', 'PLAN')
    expect(await codes(worker.publish(spawn))).toEqual(['ok'])
    expect(await codes(worker.publish(phase(worker.peerId, 'HARVEST', 'OBSERVE'), spawn))).toEqual([
      'PHASE_ILLEGAL',
      'ok',
    ])
    expect((await boss.read('system.gate.fired'))[0]?.data).toEqual({
      tool: 'phase',
      reason: 'PHASE_ILLEGAL: SPAWN does not lead to HARVEST. It leads to DEPLOY, RECOVER, FAILED.',
      peerId: worker.peerId,
    })
    expect((await hub.core.bus.peers(boss.actor)).items[0]).toMatchObject({ phase: 'SPAWN', state: 'here' })
  })

  it('[BUS-6.4] a worker may take the move that an orchestrator told it, once, whatever the table says', async () => {
    const told = message(`cmd.${worker.peerId}.set_phase`, 'cmd-set-phase-v1', { phase: 'CLEANUP', reason: 'hurry' })
    await worker.publish(phase(worker.peerId, 'SPAWN', 'PLAN'))
    expect(await codes(boss.publish(told))).toEqual(['ok'])
    const moves = (['HARVEST', 'CLEANUP', 'SPAWN', 'CLEANUP', 'REFLECT'] as const).map((to) =>
      phase(worker.peerId, to, 'SPAWN'),
    )
    expect(await codes(worker.publish(...moves))).toEqual([
      'PHASE_ILLEGAL',
      'ok',
      'PHASE_ILLEGAL',
      'PHASE_ILLEGAL',
      'ok',
    ])
    expect(heard(await boss.read('worker.**')).map((line) => line.split(' ')[1])).toEqual([
      'SPAWN',
      'CLEANUP',
      'REFLECT',
    ])
  })

  it('[BUS-4] a worker publishes on a task once an orchestrator assigned it', async () => {
    const note = () => message('task.t1.note', 'task-note-v1', { words: 'done' })
    expect(await codes(worker.publish(note()))).toEqual(['TOPIC_FORBIDDEN'])
    const assign = message('task.t1.assign', 'task-assign-v1', { peer_id: worker.peerId })
    expect(await codes(boss.publish(assign))).toEqual(['ok'])
    expect(await codes(worker.publish(note()))).toEqual(['ok'])
    expect(heard(await worker.read('task.**'))).toEqual(['task.t1.assign', 'task.t1.note'])
  })

  it('[BUS-7] delivers to nobody what they may not see, whatever the pattern', async () => {
    await person(hub, 'dan', 'operator')
    await person(hub, 'eve', 'admin')
    const stranger = await program(hub, 'dan', 'orchestrator', 'read')
    const admin = await program(hub, 'eve', 'read')
    const other = await program(hub, 'cleo', 'worker')
    await worker.publish(log(worker.peerId, 'a secret of cleo'))
    await boss.publish(message(`cmd.${worker.peerId}.pause`, 'cmd-pause-v1', {}))
    await boss.publish(message('cmd.role.worker', 'cmd-abort-v1', { reason: 'evening' }))
    expect(await stranger.read()).toEqual([])
    expect((await hub.core.bus.peers(stranger.actor)).items).toEqual([])
    expect(
      await codes(stranger.publish(message(`cmd.${worker.peerId}.abort`, 'cmd-abort-v1', { reason: 'x' }))),
    ).toEqual(['TOPIC_FORBIDDEN'])
    expect(heard(await other.read())).toEqual(['cmd.role.worker evening'])
    expect(heard(await worker.read('cmd.**'))).toEqual([`cmd.${worker.peerId}.pause`, 'cmd.role.worker evening'])
    expect(heard(await admin.read('worker.**'))).toEqual([`worker.${worker.peerId}.event a secret of cleo`])
    expect(heard(await boss.read('worker.**'))).toHaveLength(1)
  })

  it('[BUS-8.12] a program is below the peer that its boot names, if its person sees that one', async () => {
    await person(hub, 'dan', 'operator')
    const stranger = await program(hub, 'dan', 'worker')
    const boot = (of: Program, parent_peer_id: string) =>
      message(`worker.${of.peerId}.boot`, 'worker-boot-v1', {
        model: 'sonnet',
        role: 'worker',
        mission_summary: 'Audit',
        cwd: '/code',
        terminal_id: '5',
        parent_peer_id,
      })
    await boss.publish(log(boss.peerId, 'hello'))
    const second = await program(hub, 'cleo', 'worker')
    await worker.publish(boot(worker, boss.peerId), log(worker.peerId, 'a child'))
    await second.publish(boot(second, worker.peerId))
    await stranger.publish(boot(stranger, boss.peerId))
    const parents = async ({ actor }: Program) =>
      (await hub.core.bus.peers(actor)).items.map(({ peerId, parentId }) => [peerId, parentId])
    expect(await parents(boss)).toEqual([
      [boss.peerId, null],
      [worker.peerId, boss.peerId],
      [second.peerId, worker.peerId],
    ])
    expect(await parents(await program(hub, 'dan', 'orchestrator'))).toEqual([[stranger.peerId, null]])
    expect((await boss.read(`worker.${worker.peerId}.event`))[0]?.parent_id).toBe(boss.peerId)
  })

  it('[BUS-4] who has no such scope speaks not at all, and a worker is no orchestrator', async () => {
    const reader = await program(hub, 'cleo', 'read')
    await expect(reader.publish(log(reader.peerId, 'x'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(hub.core.bus.join(worker.actor, { role: 'orchestrator' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await hub.core.bus.join(boss.actor, { role: 'worker' })).toMatchObject({ role: 'worker' })
  })

  it('[AUTH-1] a token that was taken back writes nothing any more', async () => {
    await worker.publish(log(worker.peerId, 'before'))
    await worker.end()
    await expect(worker.publish(log(worker.peerId, 'after'))).rejects.toMatchObject({ code: 'AUTH_REQUIRED' })
    expect(await boss.read('worker.**')).toHaveLength(1)
  })

  it('[BUS-2] of heartbeats only the last is kept, and the offsets stay dense', async () => {
    const beat = (tokens_used: number) =>
      message(`worker.${worker.peerId}.heartbeat`, 'worker-heartbeat-v1', {
        current_phase: 'PLAN',
        time_in_phase_ms: 1,
        tokens_used,
        cost_usd: 0,
      })
    for (const tokens of [1, 2, 3]) await worker.publish(beat(tokens))
    const [last, ...others] = await boss.read('worker.**')
    expect([last?.offset, last?.data.tokens_used, others]).toEqual([4, 3, []])
    expect((await hub.core.bus.peers(boss.actor)).items[0]?.heartbeat).toMatchObject({ tokens_used: 3 })
  })

  it('[BUS-2] what is old goes, the newest stays, and a reader learns where the bus begins', async () => {
    await worker.publish(log(worker.peerId, 'old'), log(worker.peerId, 'newest'))
    expect(await hub.store.bus.forgetBefore(now + 1, 500)).toBe(2)
    const page = await hub.core.bus.page(boss.actor, { after: 0, pattern: '**', limit: 10 })
    expect([page.oldest, heard(page.items)]).toEqual([3, [`worker.${worker.peerId}.event newest`]])
    expect((await worker.publish(log(worker.peerId, 'next'))).results[0]).toMatchObject({ offset: 4 })
  })

  it('[BUS-14.1] what a program calls itself stays until it says something else, and its person is who they are now', async () => {
    const name = async () => (await hub.core.bus.peers(boss.actor)).items[0]?.name
    await hub.core.bus.join(worker.actor, { name: 'audit-A' })
    await worker.publish(log(worker.peerId, 'hello'))
    expect(await name()).toBe('cleo (worker: audit-A)')
    await hub.core.bus.publish({ ...worker.actor, name: 'clea (worker)' }, [log(worker.peerId, 'renamed')])
    expect(await name()).toBe('clea (worker)')
  })

  it('[BUS-7.11] pages of one person are read one after the other, and too many at once are refused; nobody else waits', async () => {
    await worker.publish(log(worker.peerId, 'hello'))
    await person(hub, 'dora', 'owner')
    const other = await program(hub, 'dora', 'orchestrator')
    const page = ({ actor }: Program) => hub.core.bus.page(actor, { after: 0, pattern: 'worker.**', limit: 10 })
    const many = Promise.allSettled(Array.from({ length: 40 }, (_, i) => page(i % 2 ? boss : worker)))
    expect(heard((await page(other)).items)).toEqual([`worker.${worker.peerId}.event hello`])
    const refused = (await many).flatMap((one) => (one.status === 'rejected' ? one.reason.code : []))
    expect(refused).toEqual(Array.from({ length: 7 }, () => 'RATE_LIMITED'))
    expect((await page(boss)).items).toHaveLength(1)
  })
})
