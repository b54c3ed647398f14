import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld } from '../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const secret = `ghp_${'a1B2'.repeat(9)}`

describe('a program that its service turns away', () => {
  it.each([
    [401, 'BACKEND_AUTH', 'Not logged in with'],
    [429, 'BACKEND_QUOTA', 'Usage limit reached for'],
  ])(
    '[T27] with %i: the turn fails with %s and the own sentence, redacted, and the session goes on',
    async (error, code, words) => {
      const host = await world.open()
      await host.run(world.create({}, script([{ error, message: `${words} ${secret}, until Monday.` }])))
      const [end] = world.of('turn_completed')
      expect(end).toMatchObject({ reason: 'failed', error: { code } })
      expect(end?.error?.message).toMatch(new RegExp(`^${words} .*until Monday\\.$`))
      // A prompt that waits is the person's own and stays as it is; what the program said goes nowhere with its secret.
      expect(JSON.stringify([world.events(), host.states.map(({ status }) => status)])).not.toContain(secret)
      await host.run(world.prompt(script([{ text: 'Better.' }])))
      expect(world.of('turn_completed').at(-1)).toMatchObject({ reason: 'completed' })
    },
  )
})
