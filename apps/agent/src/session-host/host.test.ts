import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld } from '../testing/host-world'

const script = (steps: object[], prose = 'Please.') => `${prose} SCRIPT: ${JSON.stringify(steps)}`

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

describe('a session host', () => {
  it('[SES-2] [LOG-4] runs a prompt from the creation of the session to the finished turn', async () => {
    const host = await world.open()
    const create = world.create({}, script([{ text: 'Hello there.' }]))
    expect(await host.run(create)).toEqual({ state: 'done' })
    await host.status('idle')
    expect(world.kinds()).toEqual([
      'session_created',
      'turn_started',
      'user_message',
      'session_started',
      'assistant_text',
      'turn_completed',
    ])
    expect(world.of('assistant_text')[0]?.text).toBe('Hello there.')
    expect(world.envelopes().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
  })
})
