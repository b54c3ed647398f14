import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld } from '../../testing/host-world'
import { variation } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const says = (text: string) => script([{ text }])

describe('[CMD-2.9] a command that comes again', () => {
  it('while the first is on its way to the disk shares its answer, and is done once', async () => {
    const launched = world.start()
    const host = await world.attach(launched)
    const second = await world.attachAgain()
    await host.run(world.create())
    const prompt = world.prompt(says('once'))
    // An old and a new daemon, and one that asks twice.
    const asked = [host.client.command(prompt), host.client.command(prompt), second.client.command(prompt)]
    expect(await Promise.all(asked)).toEqual([{ state: 'accepted' }, { state: 'accepted' }, { state: 'accepted' }])
    expect(world.answerOf(prompt.commandId)).not.toBeNull()
    expect(await host.result(prompt.commandId)).toEqual({ state: 'done' })
    expect(world.of('user_message')).toHaveLength(1)
  })

  it('[CMD-4.3] is called back or accepted, whichever is on the disk first, and never both', async () => {
    const host = await world.open()
    await host.run(world.create())
    const [first, second] = [world.prompt(says('one')), world.prompt(says('two'))]
    const answers = await Promise.all([
      host.client.command(first),
      host.client.cancel(first.commandId),
      host.client.cancel(second.commandId),
      host.client.command(second),
    ])
    expect(answers.map(({ state }) => state)).toEqual(['accepted', 'accepted', 'cancelled', 'cancelled'])
    expect(await host.result(first.commandId)).toEqual({ state: 'done' })
    expect(world.of('user_message').map(({ text }) => text)).toEqual([says('one')])
  })

  variation('is answered only with what is on the disk', async () => {
    const host = await world.open()
    await host.run(world.create())
    const prompt = world.prompt(says('once'))
    const first = host.client.command(prompt).then(() => world.answerOf(prompt.commandId))
    const repeat = host.client.command(prompt).then(() => world.answerOf(prompt.commandId))
    for (const kept of await Promise.all([first, repeat])) expect(kept).not.toBeNull()
  })
})
