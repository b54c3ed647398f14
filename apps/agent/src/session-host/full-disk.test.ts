import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { FAILPOINTS_VARIABLE, type Failpoints } from '@roundhouse/failpoint'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HostWorld } from '../testing/host-world'
import { wholeMatrix } from '../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

it('[FLOW-2.6] [FLOW-2.7] [F16] [T23] a full disk pauses the session, visibly, and nothing is lost when there is room', async () => {
  const full = join(world.folder('faults'), 'full')
  const failpoints: Failpoints = { 'agent.append': { do: 'full', while: full } }
  const host = await world.open({}, { [FAILPOINTS_VARIABLE]: JSON.stringify(failpoints) })
  const create = world.create({}, script([{ count: { to: 200, delayMs: 2, prefix: 'text' } }]))
  await host.client.command(create)
  await host.until(() => host.head > 5)
  writeFileSync(full, '')
  const paused = await host.status('paused')
  expect(paused.status).toEqual({ status: 'paused', why: 'disk' })
  // What it says goes no further than what is on the disk.
  expect(paused.atSeq).toBeLessThanOrEqual(host.head)
  // Whoever comes now hears the same.
  const second = await world.attachAgain()
  expect(second.state.status).toEqual({ status: 'paused', why: 'disk' })
  rmSync(full)
  expect(await host.result(create.commandId)).toEqual({ state: 'done' })
  await host.status('idle')
  const texts = world.of('assistant_text').map(({ text }) => text)
  expect(texts).toEqual(Array.from({ length: 200 }, (_, i) => `text ${i + 1}`))
})

it('[FLOW-4.3] [PERM-5.37] a full disk does not keep a person from ending a permission', async () => {
  const full = join(world.folder('faults'), 'full')
  const failpoints: Failpoints = { 'agent.append': { do: 'full', while: full } }
  const host = await world.open({}, { [FAILPOINTS_VARIABLE]: JSON.stringify(failpoints) })
  await host.client.command(world.create({}, script([{ count: { to: 200, delayMs: 2, prefix: 'text' } }])))
  await host.until(() => host.head > 5)
  writeFileSync(full, '')
  await host.status('paused')
  const answer = host.client.command(world.command({ kind: 'grant.revoke', grantId: 'unknown' }))
  const needsRoom = await host.client.command(world.prompt(script([{ text: 'No.' }])))
  expect(needsRoom).toMatchObject({ state: 'refused', error: { code: 'DISK_FULL' } })
  rmSync(full)
  // It was judged by what is granted, not by the disk.
  expect(await answer).toMatchObject({ state: 'refused', error: { code: 'NOT_FOUND' } })
})

it('[FLOW-2.7] a person who stops it the moment there is room cuts nothing short: all that was printed is kept', async () => {
  const full = join(world.folder('faults'), 'full')
  const failpoints: Failpoints = { 'agent.append': { do: 'full', while: full } }
  const host = await world.open({}, { [FAILPOINTS_VARIABLE]: JSON.stringify(failpoints) })
  await host.client.command(world.create({}, script([{ count: { to: 50_000, delayMs: 2, prefix: 'text' } }])))
  await host.until(() => host.head > 5)
  writeFileSync(full, '')
  await host.status('paused')
  rmSync(full)
  await host.run(world.command({ kind: 'turn.interrupt', turnId: host.state.turnId ?? '' }))
  await host.status('idle')
  expect(world.of('turn_completed').map(({ reason }) => reason)).toEqual(['interrupted'])
  const texts = world.of('assistant_text').map(({ text }) => text)
  expect(texts).toEqual(texts.map((_, i) => `text ${i + 1}`))
})

it('[FLOW-2.9] [FLOW-2.11] [RES-6] a host that dies with what no disk took leaves a mark: the next one says that something may be missing', async () => {
  const full = join(world.folder('faults'), 'full')
  const failpoints: Failpoints = { 'agent.append': { do: 'full', while: full } }
  const launched = world.start({}, { [FAILPOINTS_VARIABLE]: JSON.stringify(failpoints) })
  const host = await world.attach(launched)
  await host.client.command(world.create({}, script([{ count: { to: 2_000, delayMs: 2, prefix: 'text' } }])))
  await host.until(() => host.head > 5)
  writeFileSync(full, '')
  await host.status('paused')
  process.kill(launched.pid, 'SIGKILL')
  await host.gone()
  rmSync(full)
  await world.open()
  const lost = world.of('system').filter(({ subtype }) => subtype === 'output_lost')
  expect(lost).toHaveLength(1)
})

const losses = () => world.of('system').filter(({ subtype }) => subtype === 'output_lost')

it('[FLOW-2.8] a host that ends before it tried again writes all it held, and the next one says nothing of a loss', async () => {
  const full = join(world.folder('faults'), 'full')
  const failpoints: Failpoints = { 'agent.append': { do: 'full', while: full } }
  const launched = world.start({}, { [FAILPOINTS_VARIABLE]: JSON.stringify(failpoints) })
  const host = await world.attach(launched)
  await host.client.command(world.create({}, script([{ count: { to: 2_000, delayMs: 2, prefix: 'text' } }])))
  await host.until(() => host.head > 5)
  writeFileSync(full, '')
  await host.status('paused')
  rmSync(full)
  process.kill(launched.pid, 'SIGTERM')
  await host.gone()
  expect(await launched.exited).toEqual({ code: 0, signal: null })
  expect(readFileSync(world.files.unwritten, 'latin1')[0]).toBe('-')
  await world.open()
  expect(losses()).toEqual([])
})

it('[FLOW-2.11] a loss is said once, wherever the host that says it dies before it clears the mark', async () => {
  const launched = world.start()
  const host = await world.attach(launched)
  await host.client.command(world.create({}, script([{ count: { to: 2_000, delayMs: 2, prefix: 'text' } }])))
  await host.until(() => host.head > 5)
  process.kill(launched.pid, 'SIGKILL')
  await host.gone()
  writeFileSync(world.files.unwritten, '1')
  const close = { mode: 'close' } as const
  for (const at of wholeMatrix ? [1, 2, 3] : [2]) {
    const failpoints: Failpoints = { 'agent.append': { do: 'kill', at } }
    await world.start(close, { [FAILPOINTS_VARIABLE]: JSON.stringify(failpoints) }).exited
  }
  expect(await world.start(close).exited).toEqual({ code: 0, signal: null })
  expect(losses()).toHaveLength(1)
  // The next loss is another one.
  writeFileSync(world.files.unwritten, '1')
  expect(await world.start(close).exited).toEqual({ code: 0, signal: null })
  expect(losses()).toHaveLength(2)
})

it('[FLOW-2] [CMD-5] a stop that was asked for while no disk took anything did what was asked, and says so', async () => {
  const full = join(world.folder('faults'), 'full')
  const failpoints: Failpoints = { 'agent.append': { do: 'full', while: full } }
  const host = await world.open({}, { [FAILPOINTS_VARIABLE]: JSON.stringify(failpoints) })
  await host.client.command(world.create({}, script([{ count: { to: 50_000, delayMs: 2, prefix: 'text' } }])))
  await host.until(() => host.head > 5)
  writeFileSync(full, '')
  await host.status('paused')
  const stop = world.command({ kind: 'turn.interrupt', turnId: host.state.turnId ?? '' })
  const answer = host.client.command(stop)
  await vi.waitFor(() => expect(world.marked()).toHaveLength(1), 20_000)
  rmSync(full)
  expect(await answer).toEqual({ state: 'accepted' })
  expect(await host.result(stop.commandId)).toEqual({ state: 'done' })
  expect(world.of('turn_completed')).toHaveLength(1)
})
