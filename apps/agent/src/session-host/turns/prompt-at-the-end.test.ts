import { script } from '@roundhouse/adapter-scripted'
import { isRunning } from '@roundhouse/owner'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HostView, HostWorld } from '../../testing/host-world'
import { wholeMatrix } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const says = (text: string) => script([{ text }])
const reasons = () => world.of('turn_completed').map(({ reason }) => reason)
const texts = () => world.of('assistant_text').map(({ text }) => String(text))

/** Resolves when the system says that it is dead: its host may not have heard of it. */
async function killProgram(): Promise<void> {
  const program = world.record().procs.at(-1)
  if (!program) throw new Error('a program runs')
  process.kill(program.pid, 'SIGKILL')
  while (isRunning(program)) await new Promise(setImmediate)
}

/** Both reach the host in one step; each is done when this resolves. */
async function together(host: HostView, ...commands: Array<ReturnType<HostWorld['command']>>): Promise<void> {
  await Promise.all(commands.map((command) => host.client.command(command)))
  for (const { commandId } of commands) expect(await host.result(commandId)).toEqual({ state: 'done' })
}

describe('[CMD-5.12] a prompt that comes while a program ends', () => {
  const times = wholeMatrix ? 100 : 3

  it(`waits for the next program: "End process" and a prompt at once, ${times} times`, async () => {
    const host = await world.open()
    await host.run(world.create({}, says('0')))
    for (let n = 1; n <= times; n++) {
      await together(host, world.command({ kind: 'process.end' }), world.prompt(says(String(n))))
    }
    expect(texts()).toEqual(Array.from({ length: times + 1 }, (_, n) => String(n)))
    expect(new Set(reasons())).toEqual(new Set(['completed']))
    expect(reasons()).toHaveLength(times + 1)
  }, 120_000)

  it('waits for the next program when the one before is dead and nobody has told yet', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('0')))
    const deaths = wholeMatrix ? 10 : 3
    for (let n = 1; n <= deaths; n++) {
      await killProgram()
      await host.run(world.prompt(says(String(n))))
    }
    expect(reasons()).toEqual(Array.from({ length: deaths + 1 }, () => 'completed'))
    expect(texts()).toEqual(Array.from({ length: deaths + 1 }, (_, n) => String(n)))
  }, 60_000)

  it('is taken by the next host when this one leaves', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('0')))
    const prompt = world.prompt(says('1'))
    await Promise.allSettled([host.client.stop('idle'), host.client.command(prompt)])
    const next = await world.open()
    if (world.answerOf(prompt.commandId) === null) await next.client.command(prompt)
    await next.until(() => world.of('turn_completed').length === 2)
    expect(reasons()).toEqual(['completed', 'completed'])
  })

  it('[CMD-5.13] ends with the program where it had begun before', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('0')))
    const hangs = world.prompt(script([{ text: 'On and on', hang: true }]))
    await host.client.command(hangs)
    await host.until(() => host.frames.some(({ text }) => text.includes('on')))
    await together(host, world.command({ kind: 'process.end' }), world.prompt(says('1')))
    expect(reasons()).toEqual(['completed', 'process_exited', 'completed'])
  })
})
