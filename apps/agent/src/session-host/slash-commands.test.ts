import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCommands } from '../host-contract/commands-file'
import { HostWorld } from '../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const refused = {
  state: 'refused',
  error: { code: 'POLICY_DENIED', details: { rule: 'slashCommands', command: 'policy' } },
}

describe('[CMD-9] a command that changes what the policy governs', () => {
  it('is refused with the rule, as a prompt and as the first one, and leaves nothing in the log', async () => {
    const host = await world.open()
    expect(await host.client.command(world.create({}, '/policy all'))).toMatchObject(refused)
    await host.run(world.create())
    expect(await host.client.command(world.prompt('/policy all'))).toMatchObject(refused)
    expect(world.kinds()).toEqual(['session_created'])
  })

  it('is refused into a running turn, and as an edit of a prompt that waits', async () => {
    const host = await world.open()
    await host.run(world.create())
    const first = world.prompt(script([{ text: 'Busy ', hang: true }]))
    await host.client.command(first)
    await host.until(() => host.state.turnId)
    expect(await host.client.command(world.prompt('/policy all', { steer: true }))).toMatchObject(refused)
    await host.client.command(world.prompt(script([{ text: 'Later.' }])))
    const [entry] = (await host.until(() => host.state.queue.length === 1 && host.state)).queue
    const { promptId = '', rev = 0 } = entry ?? {}
    const edit = world.command({ kind: 'queue.edit', promptId, rev, text: '/policy all' })
    expect(await host.client.command(edit)).toMatchObject(refused)
  })

  it('is text where it stands in a text, and where it is a path', async () => {
    const host = await world.open()
    await host.run(world.create())
    for (const text of ['read /policy', '/policy/all is wrong', '/other']) {
      await host.run(world.prompt(`${text} ${script([{ text: 'Read.' }])}`))
    }
    expect(world.of('turn_completed').map(({ reason }) => reason)).toEqual(Array(3).fill('completed'))
  })
})

it('[CMD-9] keeps what the program offers beside its log, for as long as the session lives', async () => {
  const host = await world.open()
  await host.run(world.create())
  expect(readCommands(world.files.commands)).toBeNull()
  await host.run(world.prompt(script([{ text: 'Hello.' }])))
  expect(readCommands(world.files.commands)?.commands.map(({ name }) => name)).toEqual(['script', 'tour'])
})
