import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import type { BackendOutput, SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HostView, HostWorld } from '../../testing/host-world'
import { variation } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const says = (text: string): BackendOutput => ({ kind: 'assistant_text', text })

function transcriptFile(): string {
  const id = world.of('session_started').at(-1)?.backendSessionId ?? ''
  const name = readdirSync(world.stateDir).find((file) => file.endsWith('.json') && file.includes(id))
  if (name === undefined) throw new Error('there is no transcript')
  return join(world.stateDir, name)
}

/** What a terminal does: it goes on with the conversation, under the same id. */
function continued(...turns: Array<[prompt: string, ...answers: string[]]>): void {
  const file = transcriptFile()
  const conversation = JSON.parse(readFileSync(file, 'utf8')) as { turns: unknown[] }
  for (const [prompt, ...answers] of turns) conversation.turns.push({ prompt, steered: [], outputs: answers.map(says) })
  writeFileSync(file, JSON.stringify(conversation))
}

async function begun(): Promise<HostView> {
  const host = await world.open()
  await host.run(world.create())
  await host.run(world.prompt(script([{ text: 'Here.' }])))
  return host
}

async function atRest(): Promise<void> {
  const host = await begun()
  await host.client.stop('shutdown')
  await host.gone()
}

async function close(): Promise<void> {
  expect(await world.start({ mode: 'close' }).exited).toEqual({ code: 0, signal: null })
}

const wordOf = (event: SessionEvent): string[] => {
  switch (event.kind) {
    case 'user_message':
      return [String(event.text).includes('SCRIPT') ? 'prompt' : String(event.text)]
    case 'assistant_text':
      return [String(event.text)]
    case 'turn_started':
      return [event.elsewhere ? 'elsewhere' : 'turn']
    case 'turn_completed':
      return ['end']
    case 'system':
      return event.subtype === 'transcript_untold' ? ['untold'] : []
    default:
      return []
  }
}
const story = () => world.events().flatMap(wordOf).slice(4)
const said = ['elsewhere', 'There?', 'There.', 'end', 'elsewhere', 'And then?', 'Then that.', 'And this.', 'end']
const goOn = () => continued(['There?', 'There.'], ['And then?', 'Then that.', 'And this.'])

describe('[RES-9] a conversation that a terminal goes on with while its session sleeps', () => {
  variation(
    'has the turns of the terminal where it had just been cleared, and nothing was said in it here yet',
    async () => {
      const host = await begun()
      await host.run(world.prompt(script([{ clear: true }])))
      await host.client.stop('shutdown')
      await host.gone()
      const before = story()
      goOn()
      await close()
      expect(story()).toEqual([...before, ...said])
    },
  )

  it('has the turns of the terminal, once, in order and marked, also by a host without a program', async () => {
    await atRest()
    goOn()
    await close()
    expect(story()).toEqual(said)
    expect(world.events().flatMap((event) => ('recovered' in event && event.recovered ? [event.kind] : []))).toEqual([
      ...['turn_started', 'user_message', 'assistant_text', 'turn_completed'],
      ...['turn_started', 'user_message', 'assistant_text', 'assistant_text', 'turn_completed'],
    ])
    await close()
    expect(story()).toEqual(said)
  })

  variation('has them before the next prompt, and goes on behind them', async () => {
    await atRest()
    goOn()
    const host = await world.open()
    await host.run(world.prompt(script([{ text: 'Here again.' }])))
    expect(story()).toEqual([...said, 'turn', expect.any(String), 'Here again.', 'end'])
    await host.client.stop('shutdown')
    await host.gone()
    continued(['Once more?', 'Once more.'])
    await close()
    expect(story().slice(-4)).toEqual(['elsewhere', 'Once more?', 'Once more.', 'end'])
  })

  variation('is not read again where nothing changed', async () => {
    await atRest()
    const before = world.events().length
    await close()
    expect(world.events()).toHaveLength(before)
  })

  it('says so where its transcript was cut in half, and loses nothing', async () => {
    await atRest()
    goOn()
    await close()
    const whole = readFileSync(transcriptFile())
    writeFileSync(transcriptFile(), whole.subarray(0, whole.length / 2))
    await close()
    await close()
    expect(story()).toEqual([...said, 'untold'])
  })
})

describe('[RES-9] a conversation that a terminal goes on with while its program is alive', () => {
  it('has the turns of the terminal before the next prompt, which a program gets that knows of them', async () => {
    const host = await begun()
    goOn()
    await host.run(world.prompt(script([{ text: 'Here again.' }])))
    expect(story()).toEqual([...said, 'turn', expect.any(String), 'Here again.', 'end'])
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, true])
    const { turns } = JSON.parse(readFileSync(transcriptFile(), 'utf8')) as { turns: Array<{ prompt: string }> }
    expect(turns.slice(1, 3).map(({ prompt }) => prompt)).toEqual(['There?', 'And then?'])
  })

  it('[RES-9.16] has nothing new, and keeps its program, where its transcript has the same in another order', async () => {
    const host = await world.open()
    await host.run(world.create())
    await host.run(world.prompt(script([{ text: 'One.' }, { text: 'Two.' }])))
    const conversation = JSON.parse(readFileSync(transcriptFile(), 'utf8')) as { turns: Array<{ outputs: unknown[] }> }
    expect(conversation.turns.at(-1)?.outputs.reverse()).toMatchObject([says('Two.'), says('One.')])
    writeFileSync(transcriptFile(), JSON.stringify(conversation))
    rmSync(transcriptFile().replace(/json$/, 'tail'))
    await host.run(world.prompt(script([{ text: 'Three.' }])))
    expect(story()).not.toContain('untold')
    expect(world.of('session_started')).toHaveLength(1)
  })

  it('has them without a prompt, soon after', async () => {
    const host = await begun()
    goOn()
    await host.until(() => story().length > 0)
    expect(story()).toEqual(said)
  })
})
