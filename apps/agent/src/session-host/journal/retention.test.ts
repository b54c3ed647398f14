import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AckedNews, HostLimits } from '../../host-contract/launch-spec'
import { openLogReader } from '../../log/reader'
import { type HostView, HostWorld } from '../../testing/host-world'
import { variation } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const everything: HostLimits = { keepMs: 86_400_000, keepBytes: 1_000_000_000, backlogBytes: 1_000_000_000 }
const limits = (over: Partial<HostLimits>): HostLimits => ({ ...everything, ...over })
const says = (text: string) => script([{ text }])
const counts = (to: number) => script([{ count: { to, prefix: 'word '.repeat(100) } }])
const seqs = () => world.envelopes().map(({ seq }) => seq)
const acked = (host: HostView, over: Partial<AckedNews> = {}): Promise<void> =>
  host.client.acked({
    logId: host.client.hello.logId,
    upTo: world.envelopes().at(-1)?.seq ?? 0,
    epoch: 'e1',
    present: true,
    ...over,
  })
const ackedOnDisk = () => {
  const reader = openLogReader(world.sessionDir)
  const said = reader.acked()
  reader.close()
  return said
}

describe('[REB-3] the beginning of a log', () => {
  it('goes when it is too much and the hub has it, oldest first, and the session goes on', async () => {
    const host = await world.open({ limits: limits({ keepBytes: 0 }) })
    await host.run(world.create({}, counts(50)))
    const last = seqs().at(-1) ?? 0
    await acked(host, { upTo: 20 })
    expect(seqs()[0]).toBe(21)
    await acked(host)
    expect(seqs()).toEqual([last])
    expect(await host.run(world.prompt(says('on')))).toEqual({ state: 'done' })
    expect(seqs().at(1)).toBe(last + 1)
    await host.client.stop('shutdown')
    await host.gone()
    const next = await world.open()
    await next.run(world.prompt(says('and on')))
    expect(world.of('session_started').at(-1)).toMatchObject({ resumed: true })
  })

  variation('goes when it is too old', async () => {
    const host = await world.open({ limits: limits({ keepMs: 1 }) })
    await host.run(world.create({}, counts(5)))
    await acked(host)
    expect(seqs()).toHaveLength(1)
  })

  variation('stays while it is young and has its place', async () => {
    const host = await world.open({ limits: everything })
    await host.run(world.create({}, counts(5)))
    await acked(host)
    expect(seqs()[0]).toBe(1)
  })

  it('stays where the word was about another log, and while no connection says that this hub has it', async () => {
    const host = await world.open({ limits: limits({ keepBytes: 0 }) })
    await host.run(world.create({}, counts(5)))
    await acked(host, { logId: 'another' })
    await acked(host, { upTo: 999 })
    expect(seqs()[0]).toBe(1)
    expect(ackedOnDisk().upTo).toBe(0)
    await acked(host, { present: false })
    expect(seqs()[0]).toBe(1)
    // A hub that was put back has less, whatever the one before it had.
    await acked(host, { epoch: 'e2', upTo: 2 })
    expect(seqs()[0]).toBe(3)
    expect(ackedOnDisk()).toEqual({ upTo: 2, epoch: 'e2' })
  })

  it('of a session at rest is taken by a host that only does that, and the file shrinks', async () => {
    const host = await world.open()
    await host.run(world.create({}, counts(4_000)))
    const { logId } = host.client.hello
    await host.client.stop('idle')
    await host.gone()
    const before = { state: world.lastState(), size: world.logBytes(), last: seqs().at(-1) ?? 0 }
    const word = { logId, upTo: before.last, epoch: 'e1', present: true }
    const pruner = world.start({ mode: 'prune', limits: limits({ keepBytes: 100_000 }), acked: word })
    expect(await pruner.exited).toEqual({ code: 0, signal: null })
    expect(seqs()[0]).toBeGreaterThan(1)
    expect(seqs().at(-1)).toBe(before.last)
    expect(world.logBytes()).toBeLessThan(before.size / 4)
    expect(world.lastState()).toEqual(before.state)
  })
})

describe('[FLOW-2.1] [FLOW-2.3] a program that prints more than the hub takes', () => {
  const flood = script([{ flood: { bytes: 3_000_000, line: 500, as: 'text' } }, { text: 'end' }])
  const bytesLogged = () => world.envelopes().reduce((sum, { body }) => sum + body.length, 0)

  it('waits on its pipe, and goes on as far as it is taken', async () => {
    const host = await world.open({ limits: limits({ backlogBytes: 100_000 }) })
    const create = world.create({}, flood)
    await host.client.command(create)
    expect((await host.status('paused')).status).toEqual({ status: 'paused', why: 'backlog' })
    // What had been read when it was told to stop.
    expect(bytesLogged()).toBeLessThan(1_500_000)
    const isOver = () => host.news.has(create.commandId)
    while (!isOver()) {
      await host.until(() => isOver() || host.state.status.status === 'paused')
      await acked(host)
    }
    expect(await host.result(create.commandId)).toEqual({ state: 'done' })
    expect(seqs()).toEqual(seqs().map((_, i) => i + 1))
    expect(bytesLogged()).toBeGreaterThan(3_000_000)
  })

  it('waits from its start where too much was left by the one before', async () => {
    const first = await world.open()
    await first.run(world.create({}, counts(400)))
    await first.client.stop('shutdown')
    await first.gone()
    const host = await world.open({ limits: limits({ backlogBytes: 100_000 }) })
    const prompt = world.prompt(says('late'))
    await host.client.command(prompt)
    await host.status('paused')
    await acked(host)
    expect(await host.result(prompt.commandId)).toEqual({ state: 'done' })
  })

  it('is ended when it does not hear an interrupt', async () => {
    const host = await world.open({ limits: limits({ backlogBytes: 100_000 }) })
    await host.client.command(world.create({}, flood))
    const { turnId = '' } = await host.status('paused')
    expect(await host.run(world.command({ kind: 'turn.interrupt', turnId }))).toEqual({ state: 'done' })
    expect(await host.status('resumable')).toMatchObject({ status: { why: 'ended_by_person' } })
    expect(world.of('turn_completed')).toMatchObject([{ turnId, reason: 'process_exited' }])
    expect(world.record().procs).toEqual([])
  })
})
