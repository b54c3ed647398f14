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

it('[CMD-5.28] a prompt with the id of one that ran is refused, also as the first one and as a steer, and does not run again', async () => {
  const host = await world.open()
  const first = world.create({}, script([{ text: 'Once.' }]))
  await host.run(first)
  const begun = first.body.kind === 'session.create' ? (first.body.prompt?.promptId ?? '') : ''
  const prompt = (promptId: string, text: string, steer = false) =>
    world.command({
      kind: 'prompt.send',
      promptId,
      text: script([{ text, hang: text === 'Busy.' }]),
      ...(steer && { steer }),
    })
  await host.run(prompt('p1', 'Said.'))
  const refused = { state: 'refused', error: { code: 'INVALID_ARGUMENT' } }
  expect(await host.client.command(prompt('p1', 'Said.'))).toMatchObject(refused)
  expect(await host.client.command(prompt(begun, 'Once.'))).toMatchObject(refused)
  await host.client.command(prompt('p2', 'Busy.'))
  await host.until(() => host.state.turnId)
  expect(await host.client.command(prompt('p1', 'Said.', true))).toMatchObject(refused)
  expect(await host.client.command(prompt('p2', 'Busy.', true))).toMatchObject(refused)
  expect(world.of('user_message')).toHaveLength(3)
  expect(host.state.queue).toEqual([])
})

it('[CMD-5.28] an id that only another text holds is free, and so is one of a prompt that was taken out of the queue', async () => {
  const host = await world.open()
  await host.client.command(world.create({}, script([{ text: '"p1"', hang: true }])))
  await host.until(() => host.state.turnId)
  const send = (promptId: string) =>
    host.client.command(world.command({ kind: 'prompt.send', promptId, text: 'Next.' }))
  expect(await send('p1')).toMatchObject({ state: 'accepted' })
  const [entry] = (await host.until(() => host.state.queue.length === 1 && host.state)).queue
  await host.client.command(world.command({ kind: 'queue.remove', promptId: 'p1', rev: entry?.rev ?? 0 }))
  await host.until(() => host.state.queue.length === 0)
  expect(await send('p1')).toMatchObject({ state: 'accepted' })
})
