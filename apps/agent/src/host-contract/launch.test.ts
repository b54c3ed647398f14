import { mkdirSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HostWorld } from '../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

it('[STORE-5.14] a folder in the place of what the host is told is named, and no host starts', () => {
  mkdirSync(world.files.launch, { recursive: true })
  expect(() => world.start()).toThrow(
    expect.objectContaining({
      code: 'STATE_UNWRITABLE',
      message: `${world.files.launch} is a folder and no ordinary file: move it away.`,
    }),
  )
})
