import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HostWorld } from '../../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

it('[CMD-5] a prompt with the id of one that waits is refused, and what waits stays as it is', async () => {
  const host = await world.open()
  await host.client.command(world.create({}, script([{ text: 'Busy ', hang: true }])))
  await host.until(() => host.state.turnId)
  const prompt = (text: string) => world.command({ kind: 'prompt.send', promptId: 'p1', text })
  expect(await host.client.command(prompt('One.'))).toMatchObject({ state: 'accepted' })
  expect(await host.client.command(prompt('Two.'))).toMatchObject({
    state: 'refused',
    error: { code: 'INVALID_ARGUMENT' },
  })
  await host.until(() => host.state.queue.length > 0)
  expect(host.state.queue).toMatchObject([{ promptId: 'p1', text: 'One.' }])
})
