import { type Step, script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld } from '../../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const prompt = (...steps: Step[]) => world.prompt(script(steps))
const conversations = () => world.of('session_started').map(({ backendSessionId }) => backendSessionId)

describe('a program that goes on in another conversation', () => {
  it('[LOG-4.3] is resumed in that one, after a kill of the host and of the program', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ text: 'Before.' }])))
    await host.run(prompt({ clear: true }))
    for (const text of ['One.', 'Two.', 'Three.']) await host.run(prompt({ text }))
    const [program] = world.record().procs
    process.kill(world.record().pid, 'SIGKILL')
    if (program) process.kill(program.pid, 'SIGKILL')
    await world.guardIsDone()

    const next = await world.open()
    await next.run(prompt({ recall: true }))
    expect(world.of('assistant_text').at(-1)?.text).toContain('Remembered turns: 3.')
    const [first, cleared] = conversations()
    expect(conversations()).toEqual([first, cleared, cleared])
    expect(first).not.toBe(cleared)
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, false, true])
  })

  it('[LOG-4.2] [LOG-4.4] tells the new id before anything of that conversation, and that it was cleared', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ text: 'Before.' }, { clear: true }, { text: 'After.' }])))
    expect(world.kinds().slice(3)).toEqual([
      'session_started',
      'assistant_text',
      'session_started',
      'system',
      'assistant_text',
      'turn_completed',
    ])
    expect(world.of('system')[0]).toMatchObject({ subtype: 'conversation_cleared' })
  })
})
