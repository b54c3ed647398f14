import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  allowAll,
  collect,
  compareWithTruth,
  type Recorder,
  readTruth,
  type ScriptedBench,
  scriptedBench,
} from '@roundhouse/adapter-testkit'
import type { BackendOutput, SpawnOptions } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScriptedAdapter, DEMO_FILE } from './index'
import { type Step, script } from './script/script'

let bench: ScriptedBench
const recorders: Recorder[] = []

beforeEach(async () => {
  bench = await scriptedBench()
})
afterEach(async () => {
  await Promise.all(recorders.splice(0).map(({ process }) => process.kill()))
  await bench.dispose()
})

async function start(options: Partial<SpawnOptions> = {}): Promise<Recorder> {
  const process = await bench.adapter.spawn({ sessionId: 'session', workDir: bench.workDir, ...options })
  const recorder = collect(bench.adapter, process)
  recorders.push(recorder)
  return recorder
}

const play = (recorder: Recorder, ...steps: Step[]) => recorder.turn(script(steps), allowAll)
const said = (text: string) => ({ kind: 'system', subtype: 'user_message', data: { text } })
const idOf = (recorder: Recorder) => recorder.all('session')[0]?.backendSessionId ?? ''

describe('the demo', () => {
  const demoFile = () => join(bench.workDir, DEMO_FILE)

  it('shows everything and waits with a permission prompt', async () => {
    const recorder = await start()
    recorder.adapter.send(recorder.process, 'Show me around')
    const { request } = await recorder.wait('ask')
    expect(request).toMatchObject({
      toolName: 'Write',
      meta: { canEdit: true, canExplainDeny: true, cwd: bench.workDir },
    })
    expect(existsSync(demoFile())).toBe(false)
    const kinds = recorder.all('output').map(({ output }) => output.kind)
    expect(kinds).toEqual([
      'thinking',
      'assistant_text',
      'plan',
      'tool_use',
      'tool_result',
      'plan',
      'assistant_text',
      'tool_use',
    ])
    const text = recorder.all('output')[1]?.output
    expect(text).toMatchObject({ text: expect.stringMatching(/Show me around[\s\S]*- text streams[\s\S]*```ts/) })
  })

  it('writes its file when it may', async () => {
    const turn = await (await start()).turn('Show me around', allowAll)
    expect(readFileSync(demoFile(), 'utf8')).toContain('The prompt was: Show me around')
    expect(turn.text).toContain('Done.')
  })

  it('writes nothing when it may not, and repeats the reason', async () => {
    const turn = await (await start()).turn('Show me around', () => ({ decision: 'deny', reason: 'too early' }))
    expect(existsSync(demoFile())).toBe(false)
    expect(turn.text).toContain('You said: "too early".')
    expect(turn.text).not.toContain('Done.')
  })

  it('says why it asks only of what may change something', async () => {
    const questions = [{ question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }] }]
    const tools = [
      { name: 'AskUserQuestion', input: { questions } },
      { name: 'ExitPlanMode', input: { plan: 'Do it.' } },
      { name: 'Read', ask: true, input: { file_path: 'a.txt' } },
      { name: 'Bash', ask: true, input: { command: 'true' } },
    ]
    const recorder = await start()
    await recorder.turn(script([{ tools }]), allowAll)
    const reasons = recorder.all('ask').map(({ request }) => request.meta?.reason)
    expect(reasons).toEqual([undefined, undefined, undefined, 'Bash may change something'])
  })

  it('is the same for the same prompt', async () => {
    const [one, two] = [await (await start()).turn('Again', allowAll), await (await start()).turn('Again', allowAll)]
    expect(two.outputs).toEqual(one.outputs)
    expect(two.live).toEqual(one.live)
  })
})

describe('a conversation', () => {
  it('is remembered across a SIGKILL in the middle of a turn', async () => {
    const first = await start()
    await play(first, { text: 'One.' })
    first.adapter.send(first.process, script([{ text: 'Two', hang: true }], 'The second.'))
    await first.wait('live', ({ delta }) => delta.blockId === 'block-2-1')
    process.kill(first.pid, 'SIGKILL')
    await first.wait('exit')

    const second = await start({ resumeId: idOf(first) })
    const { text } = await play(second, { recall: true })
    expect(text).toMatch(/^Remembered turns: 2\. Last user text: The second\./)
  })

  it('is listed with its first words, and read with its prompts and outputs', async () => {
    const recorder = await start()
    const prompt = script([{ text: 'Hello.' }], 'Greet me.')
    await recorder.turn(prompt)
    const listed = await bench.adapter.listSessions?.()
    expect(listed).toEqual([
      {
        backendSessionId: idOf(recorder),
        workDir: bench.workDir,
        title: expect.stringMatching(/^Greet me\./),
        updatedAt: expect.any(Number),
      },
    ])
    expect(await bench.adapter.readSession?.(idOf(recorder))).toEqual([
      said(prompt),
      { kind: 'assistant_text', text: 'Hello.', blockId: 'block-1-1' },
    ])
    await expect(bench.adapter.readSession?.('nobody')).rejects.toMatchObject({ code: 'RESUME_UNAVAILABLE' })
  })

  it('is read with all that was printed in a turn that runs, steering texts in their place', async () => {
    const recorder = await start()
    const { adapter, process } = recorder
    const prompt = script([{ text: 'Before.' }, { tool: 'Bash', input: { command: 'true' } }])
    adapter.send(process, prompt)
    await recorder.wait('ask')
    await adapter.steer?.(process, 'Hurry.')
    expect(await adapter.readSession?.(idOf(recorder))).toEqual([
      said(prompt),
      { kind: 'assistant_text', text: 'Before.', blockId: 'block-1-1' },
      { kind: 'tool_use', toolName: 'Bash', input: { command: 'true' }, callId: 'call-1-1' },
      said('Hurry.'),
    ])
  })

  it('is read with the latest 200 outputs of a turn that printed more', async () => {
    const recorder = await start()
    const { outputs } = await play(recorder, { count: { to: 1_000 } })
    const read = await bench.adapter.readSession?.(idOf(recorder))
    expect(read?.slice(1)).toEqual(outputs.slice(-200))
  })

  it('refuses an id that is taken or malformed, and an id that is both new and old', async () => {
    const recorder = await start({ newSessionId: 'chosen-by-us' })
    expect((await recorder.wait('session')).backendSessionId).toBe('chosen-by-us')
    for (const options of [
      { newSessionId: 'chosen-by-us' },
      { newSessionId: '../elsewhere' },
      { newSessionId: 'a', resumeId: 'b' },
    ]) {
      await expect(start(options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  it('counts block and call ids on across processes', async () => {
    const first = await start()
    await play(first, { text: 'One.', tool: 'Read', input: { file_path: 'x' }, output: '' })
    await first.process.kill()
    const second = await start({ resumeId: idOf(first) })
    const turn = await play(second, { text: 'Two.', tool: 'Read', input: { file_path: 'x' }, output: '' })
    expect(
      turn.outputs.map((output) => ('blockId' in output ? output.blockId : 'callId' in output && output.callId)),
    ).toEqual(['block-2-1', 'call-2-1', 'call-2-1'])
  })
})

describe('a turn', () => {
  it('[LOG-7] may begin unasked, and is announced', async () => {
    const recorder = await start()
    await play(recorder, { text: 'Later.', background: { steps: [{ text: 'By myself.' }] } })
    await recorder.wait('turn_started')
    const turn = await recorder.finish(recorder.events.findIndex(({ type }) => type === 'turn_started'))
    expect(turn.text).toBe('By myself.')
    expect(recorder.all('turn_completed')).toHaveLength(2)
  })

  it('[LOG-7] that was sent while another began unasked comes after it', async () => {
    const recorder = await start()
    await play(recorder, { background: { steps: [{ tool: 'Bash', input: { command: 'true' } }, { text: 'Mine.' }] } })
    const { request } = await recorder.wait('ask')
    recorder.adapter.send(recorder.process, script([{ text: 'Yours.' }]))
    await recorder.decide(request.callId, { decision: 'allow' })
    await recorder.output('assistant_text')
    await recorder.wait('turn_completed', () => recorder.all('turn_completed').length === 3)
    const texts = recorder
      .all('output')
      .flatMap(({ output }) => (output.kind === 'assistant_text' ? [output.text] : []))
    expect(texts).toEqual(['Mine.', 'Yours.'])
  })

  it('takes a steering text while it runs', async () => {
    const recorder = await start()
    const { adapter, process } = recorder
    adapter.send(process, script([{ tool: 'Bash', input: { command: 'true' } }, { text: 'Done.' }]))
    const { request } = await recorder.wait('ask')
    expect(await adapter.steer?.(process, 'And mind the gap.')).toBe(true)
    await recorder.decide(request.callId, { decision: 'allow' })
    expect((await recorder.finish(recorder.events.length)).text).toBe('Done.\nNoted: And mind the gap.')
    expect((await play(recorder, { recall: true })).text).toContain('Last user text: And mind the gap.')
  })

  it('nests what a sub-agent does under its call', async () => {
    const recorder = await start()
    const prompt = script([{ tool: 'Read', input: { file_path: 'x' }, output: 'inner' }, { text: 'Found it.' }])
    const { outputs } = await play(recorder, { tool: 'Agent', input: { prompt } }, { text: 'Thanks.' })
    expect(outputs.map((output) => ('parentCallId' in output ? output.parentCallId : undefined))).toEqual([
      undefined,
      'call-1-1',
      'call-1-1',
      'call-1-1',
      undefined,
      undefined,
    ])
    expect(outputs[4]).toMatchObject({ kind: 'tool_result', callId: 'call-1-1', output: 'Found it.' })
  })

  it('tells progress, a plan and a note in the contract’s words', async () => {
    const items = [{ text: 'First', status: 'completed' as const }]
    const { outputs } = await play(
      await start(),
      { tool: 'Read', input: {}, output: 'x', progress: ['10 %', '90 %'] },
      { plan: items, system: { subtype: 'compact', data: { tokens: 3 } } },
    )
    expect(outputs.filter(({ kind }) => kind !== 'tool_use' && kind !== 'tool_result')).toEqual([
      { kind: 'tool_progress', callId: 'call-1-1', text: '10 %' },
      { kind: 'tool_progress', callId: 'call-1-1', text: '90 %' },
      { kind: 'system', subtype: 'compact', data: { tokens: 3 } },
      { kind: 'plan', items },
    ])
  })

  it('warns once when the window is nearly full, and tells usage, and a cost only where a script has one', async () => {
    const recorder = await start({ maxOutputTokens: 10_000 })
    const near = { input_tokens: 170_000, output_tokens: 100 }
    const { info } = await play(recorder, { text: 'Much.', usage: near }, { text: 'More.', usage: near })
    expect(recorder.all('budget').map(({ warning }) => warning)).toEqual([
      { used: 170_100, hardLimit: 190_000, threshold: 161_500, distanceToHard: 19_900, maxOutputTokens: 10_000 },
    ])
    expect(info).toMatchObject({
      usage: { inputTokens: 340_000, outputTokens: 200 },
      contextUsage: { used: 170_100, total: 200_000 },
    })
    expect(info.cost).toBeUndefined()
    expect((await play(recorder, { text: 'Dear.', cost: 0.25 })).info.cost).toBe(0.25)
    const meta = { stopReason: 'end_turn' }
    expect((await play(recorder, { text: 'Said.', meta })).info.backendMeta).toEqual(meta)
  })

  it('takes another model, mode and thinking at once, and refuses words it does not know', async () => {
    const recorder = await start()
    const { adapter, process } = recorder
    const change = { model: 'scripted-small', mode: 'plan', thinking: 'off' }
    expect(await adapter.configure?.(process, change)).toEqual([])
    const turn = await play(recorder, { thinking: 'Hm.', tool: 'Bash', input: { command: 'true' } })
    expect(turn.outputs.map(({ kind }) => kind)).toEqual(['tool_use', 'tool_result'])
    expect(turn.info.contextUsage?.total).toBe(32_000)
    await expect(adapter.configure?.(process, { model: 'no-such' })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    })
    await expect(start({ mode: 'yolo' })).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  it('answers the queries it can, and names those it cannot', async () => {
    const { adapter, process } = await start()
    expect(await adapter.query?.(process, 'mcpServerStatus', {})).toEqual([])
    expect(await adapter.query?.(process, 'supportedModels', {})).toContainEqual(
      expect.objectContaining({ value: 'scripted-small' }),
    )
    await expect(adapter.query?.(process, 'rewindFiles', {})).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })
})

describe('the ground truth', () => {
  it('holds every finished block that was printed, in order', async () => {
    const file = join(bench.stateDir, 'truth.jsonl')
    const recorder = await start({ env: { ROUNDHOUSE_SCRIPT_TRUTH: file } })
    const turn = await play(
      recorder,
      { count: { to: 20 } },
      { tool: 'Bash', input: { command: 'echo hi' } },
      { text: 'End.' },
    )
    const truth = readTruth(file, idOf(recorder))
    expect(truth.map(({ n }) => n)).toEqual(Array.from({ length: 23 }, (_, index) => index + 1))
    expect(compareWithTruth(truth, turn.outputs)).toEqual({ lost: [], wrong: [] })
  })

  it('[F5] is ahead of what arrived after a SIGKILL, never behind it, and is counted on afterwards', async () => {
    const file = join(bench.stateDir, 'truth.jsonl')
    const env = { ROUNDHOUSE_SCRIPT_TRUTH: file }
    const first = await start({ env })
    first.adapter.send(first.process, script([{ count: { to: 1_000_000 } }]))
    await first.wait('output', ({ output }) => output.kind === 'assistant_text' && output.text === 'line 50')
    process.kill(first.pid, 'SIGKILL')
    await first.wait('exit')
    const received = first.all('output').map(({ output }) => output)
    const { lost, wrong } = compareWithTruth(readTruth(file), received)
    expect(wrong).toEqual([])
    expect(lost.every(({ n }) => n > received.length)).toBe(true)

    const second = await start({ env, resumeId: idOf(first) })
    await play(second, { text: 'After.' })
    const numbers = readTruth(file).map(({ n }) => n)
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1))
  })

  it('[F4] and what can be read of a conversation agree after every SIGKILL, whenever it comes', async () => {
    const file = join(bench.stateDir, 'truth.jsonl')
    const env = { ROUNDHOUSE_SCRIPT_TRUTH: file }
    let id: string | undefined
    for (const seen of [1, 2, 30, 150, 260]) {
      const recorder = await start({ env, ...(id === undefined ? {} : { resumeId: id }) })
      id = (await recorder.wait('session')).backendSessionId
      recorder.adapter.send(recorder.process, script([{ count: { to: 1_000_000, prefix: `until ${seen}:` } }]))
      const isLast = (output: BackendOutput) => 'text' in output && output.text === `until ${seen}: ${seen}`
      await recorder.wait('output', ({ output }) => isLast(output))
      process.kill(recorder.pid, 'SIGKILL')
      await recorder.wait('exit')
      const read = (await bench.adapter.readSession?.(id)) ?? []
      const received = recorder.all('output').map(({ output }) => output)
      const ofTurn = read.slice(read.findLastIndex(({ kind }) => kind === 'system') + 1)
      // Whatever arrived was there to be read before, and nothing is missing between the two.
      expect(received.concat(ofTurn.slice(ofTurn.findIndex((o) => same(o, received.at(-1))) + 1)).slice(-200)).toEqual(
        ofTurn,
      )
      await (await start({ env, resumeId: id })).process.kill()
      expect(
        readTruth(file)
          .slice(-ofTurn.length)
          .map(({ output }) => output),
      ).toEqual(ofTurn)
    }
  })
})

const same = (one: BackendOutput, other: BackendOutput | undefined) => isDeepStrictEqual(one, other)

it('a player that does not run is a manifest with the reason', async () => {
  const adapter = createScriptedAdapter(bench.context, { playerPath: import.meta.filename })
  expect(await adapter.getManifest()).toMatchObject({
    installed: false,
    unavailableReason: expect.stringMatching(/^The player does not run: /),
  })
})
