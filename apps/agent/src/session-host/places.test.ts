import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld } from '../testing/host-world'

const says = (text: string) => script([{ text }])

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

describe('a host without a place among the running programs', () => {
  it('[CMD-8.2] [CMD-5] accepts prompts, starts nothing, and begins when it gets one', async () => {
    const host = await world.open({ waits: true })
    expect(host.client.hello.place).toBe(false)
    expect(await host.client.command(world.create({}, says('At last.')))).toEqual({ state: 'accepted' })
    await host.until(() => host.states.at(-1)?.queue.length === 1)
    expect(world.kinds()).toEqual(['session_created'])
    expect(await host.client.place(true)).toBe(true)
    await host.until(() => world.of('turn_completed').length === 1)
    expect(world.of('assistant_text')[0]?.text).toBe('At last.')
    // While its program runs it keeps the place.
    expect(await host.client.place(false)).toBe(true)
  })

  it('[CMD-5] [SES-6] leaves when it is asked although a prompt waits, and the next host begins it', async () => {
    const launched = world.start({ waits: true })
    const host = await world.attach(launched)
    await host.client.command(world.create({}, says('Later.')))
    expect(await host.client.stop('idle')).toEqual({ stopped: true })
    await launched.exited
    const next = await world.open()
    expect(next.client.hello.state.queue.length + world.of('turn_started').length).toBeGreaterThan(0)
    await next.until(() => world.of('turn_completed').length === 1)
    expect(world.of('user_message')).toHaveLength(1)
  })

  it('[SES-6] with a place, a prompt that waits keeps it', async () => {
    const host = await world.open()
    await host.client.command(world.create({}, script([{ text: 'Working.', hang: true }])))
    await host.until(() => world.of('turn_started').length === 1)
    expect(await host.client.stop('idle')).toEqual({ stopped: false })
  })
})
