import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { FAILPOINTS_VARIABLE, type Failpoints } from '@roundhouse/failpoint'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HostWorld } from '../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

it('[FLOW-2] [F16] [T23] a full disk pauses the session, visibly, and nothing is lost when there is room', async () => {
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
