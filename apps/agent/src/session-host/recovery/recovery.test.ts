import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readLines, type Step, script } from '@roundhouse/adapter-scripted'
import type { SessionEventOf } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld, whenFile } from '../../testing/host-world'

let world: HostWorld
let truth = ''
beforeEach(async () => {
  world = await HostWorld.create()
  truth = join(world.folder('truth'), 'truth.jsonl')
})
afterEach(() => world.dispose())

/**
 * The host stops hearing its program after `heard` was logged or streamed, dies when the program has written `unseen` down,
 * and is closed by the next.
 */
async function dieDeaf(steps: Step[], heard: string, unseen: string, meanwhile = () => {}): Promise<void> {
  const launched = world.start({}, { ROUNDHOUSE_SCRIPT_TRUTH: truth, ROUNDHOUSE_SCRIPT_SPEED: '1' })
  const host = await world.attach(launched)
  await host.client.command(world.create({}, script(steps)))
  await host.until(() => live(host.frames).includes(heard) || texts().some((text) => text.includes(heard)))
  process.kill(launched.pid, 'SIGSTOP')
  await whenFile(truth, (text) => text.includes(unseen))
  process.kill(launched.pid, 'SIGKILL')
  await world.guardIsDone()
  meanwhile()
  await close()
}

async function close(): Promise<void> {
  expect(await world.start({ mode: 'close' }).exited).toEqual({ code: 0, signal: null })
}

const live = (frames: ReadonlyArray<{ text: string }>) => frames.map(({ text }) => text).join('')
const said = () => world.of('assistant_text')
const texts = () => said().map(({ text }) => String(text))
const wrote = () =>
  readLines(readFileSync(truth, 'utf8')).flatMap(({ output }) =>
    output.kind === 'assistant_text' ? [output.text] : [],
  )
const notes = (): Array<SessionEventOf<'system'>> =>
  world.of('system').filter(({ subtype }) => subtype === 'transcript_untold')

describe('[RES-6.22] [F4] what a program printed after its host was deaf', () => {
  it('is in the log, in its order, marked, before the end of the process, and once when the next host closes again and the next turn goes on', async () => {
    await dieDeaf([{ count: { to: 150, delayMs: 10, prefix: 'text' } }], 'text 5', 'text 30')
    expect(texts()).toEqual(wrote())
    const marked = said().map(({ recovered }) => recovered === true)
    expect(marked).toEqual(marked.toSorted((a, b) => Number(a) - Number(b)))
    expect(marked.at(-1)).toBe(true)
    expect(world.kinds().slice(-3)).toEqual(['assistant_text', 'process_exited', 'turn_completed'])
    const [turn] = world.of('turn_started')
    expect(said().every(({ turnId }) => turnId === turn?.turnId)).toBe(true)
    expect(world.of('turn_completed')).toMatchObject([{ reason: 'process_exited' }])
    await close()
    const next = await world.open({}, { ROUNDHOUSE_SCRIPT_TRUTH: truth })
    await next.run(world.prompt(script([{ text: 'After.' }])))
    expect(texts()).toEqual(wrote())
    expect(texts().at(-1)).toBe('After.')
  })

  it('[LOG-5.7] finishes the block that was half seen', async () => {
    const text = 'A sentence of many words that only its program has seen to the very end.'
    await dieDeaf([{ text, chunk: 6, delayMs: 20 }, { sleep: 60_000 }], 'of many', 'very end')
    expect(said()).toMatchObject([{ text, recovered: true, blockId: 'block-1-1' }])
    expect(said()[0]).not.toHaveProperty('partial')
  })

  it('[LOG-9] is redacted as if it had been heard, and closes calls with their own results, those without one as interrupted', async () => {
    const call = (name: string, output: string): Step => ({ tool: 'Read', input: { file_path: name }, output })
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const steps = [{ text: 'Go.' }, { sleep: 200 }, call('a', 'of a'), call('b', 'of b'), { text: `It is ${secret}` }]
    await dieDeaf([...steps, { tools: [{ name: 'Read', input: {}, tookMs: 60_000 }] }], 'Go.', 'call-1-3')
    expect(world.of('tool_use').map(({ callId }) => callId)).toEqual(['call-1-1', 'call-1-2', 'call-1-3'])
    expect(world.of('tool_result')).toMatchObject([
      { callId: 'call-1-1', output: 'of a', recovered: true },
      { callId: 'call-1-2', output: 'of b', recovered: true },
      { callId: 'call-1-3', interrupted: true },
    ])
    expect(texts()).toEqual(['Go.', expect.stringContaining('It is [redacted')])
    expect(said()[1]?.redacted).toBe(1)
  })

  it('is lost with a transcript that is gone, and everything is closed all the same', async () => {
    await dieDeaf([{ count: { to: 150, delayMs: 10, prefix: 'text' } }], 'text 5', 'text 30', () =>
      rmSync(world.stateDir, { recursive: true }),
    )
    expect(wrote().slice(0, texts().length)).toEqual(texts())
    expect(world.kinds().slice(-2)).toEqual(['process_exited', 'turn_completed'])
    expect(notes()).toEqual([])
  })
})
