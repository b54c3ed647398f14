import { type Step, script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld } from '../../testing/host-world'
import { variation } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const steps = (...all: Step[]) => script([...all, { text: 'Done.' }])
const configured = () => world.of('session_configured').map(({ changes, by }) => ({ changes, by }))

describe('[RES-7.2] [RES-7.3] a program that changes its mode', () => {
  it('has its session follow, and the next program starts in that mode', async () => {
    const host = await world.open()
    await host.run(world.create({ mode: 'plan' }, steps({ mode: 'default' })))
    expect(configured()).toEqual([{ changes: { mode: 'default' }, by: 'backend' }])
    process.kill(world.record().pid, 'SIGKILL')
    await world.guardIsDone()
    const next = await world.open()
    await next.run(world.prompt(steps({ tool: 'Write', input: { file_path: 'a.txt', content: 'x' }, ask: false })))
    expect(world.of('tool_result').at(-1)?.isError).toBeUndefined()
    expect(configured()).toHaveLength(1)
  })

  variation(
    'tells nothing new where the session is in that mode already, as after a prompt in another one',
    async () => {
      const host = await world.open()
      await host.run(world.create({ mode: 'default' }, steps()))
      await host.run(world.prompt(steps({ mode: 'default' }), { override: { mode: 'plan' } }))
      expect(configured()).toEqual([])
    },
  )

  it('is told to leave a mode that the machine does not allow, and its session does not follow', async () => {
    const host = await world.open()
    await host.run(world.create({ mode: 'plan' }, steps()))
    await host.client.command(world.prompt(steps({ mode: 'bypassPermissions' }, { sleep: 200 })))
    await host.until(() => world.of('system').length > 0)
    await host.status('idle')
    expect(configured()).toEqual([])
    expect(world.of('system')).toEqual([
      expect.objectContaining({
        subtype: 'warning',
        data: { message: expect.stringContaining('bypassPermissions and was told to leave it') },
      }),
    ])
  })
})
