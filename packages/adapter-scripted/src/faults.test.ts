import { join } from 'node:path'
import {
  allowAll,
  collect,
  type Recorder,
  readTruth,
  type ScriptedBench,
  scriptedBench,
} from '@roundhouse/adapter-testkit'
import { afterEach, expect, it } from 'vitest'
import type { ScriptedAdapterOptions } from './adapter'
import { type Step, script } from './script/script'

let bench: ScriptedBench | undefined
const recorders: Recorder[] = []

afterEach(async () => {
  await Promise.all(recorders.splice(0).map(({ process }) => process.kill()))
  await bench?.dispose()
  bench = undefined
})

async function start(env: Record<string, string> = {}, options: ScriptedAdapterOptions = {}): Promise<Recorder> {
  bench ??= await scriptedBench(options)
  const process = await bench.adapter.spawn({ sessionId: 'session', workDir: bench.workDir, env })
  const recorder = collect(bench.adapter, process)
  recorders.push(recorder)
  return recorder
}

function send({ adapter, process }: Recorder, ...steps: Step[]): void {
  adapter.send(process, script(steps))
}

it('[T28] half a line and death is one exit with its code, and the half line is kept as raw', async () => {
  const recorder = await start()
  send(recorder, { text: 'Going.' }, { stderr: 'panic: out of ink', halfLine: 3 })
  const { code, info } = await recorder.wait('exit')
  expect(code).toBe(3)
  expect(info).toEqual({ signal: null, stderrTail: 'panic: out of ink\n' })
  expect(recorder.all('output').at(-1)?.output).toEqual({
    kind: 'raw',
    backend: 'scripted',
    payload: '{"type":"say","text":"this line never en',
  })
  expect(recorder.all('turn_completed')).toEqual([])
})

it('a prompt to a player that is gone is told as an error', async () => {
  const recorder = await start()
  process.kill(recorder.pid, 'SIGKILL')
  await recorder.wait('exit')
  send(recorder, { text: 'Never said.' })
  expect(recorder.all('error').map(({ error }) => error)).toMatchObject([{ code: 'BACKEND_CRASHED' }])
})

it('[T28] of stderr the last 4 KiB are told', async () => {
  const recorder = await start()
  send(recorder, { stderr: `${'a'.repeat(10_000)}the end`, crash: 1 })
  const { info } = await recorder.wait('exit')
  expect(info?.stderrTail).toHaveLength(4096)
  expect(info?.stderrTail).toMatch(/^a+the end\n$/)
})

it('[T30] garbage becomes raw output, line by line, and the turn goes on', async () => {
  const recorder = await start()
  const turn = await recorder.turn(script([{ garbage: 3 }, { text: 'As if nothing was.' }]))
  expect(
    turn.outputs.filter(({ kind }) => kind === 'raw').map((output) => 'payload' in output && output.payload),
  ).toEqual(['}{ not JSON 1', '}{ not JSON 2', '}{ not JSON 3'])
  expect(turn.text).toBe('As if nothing was.')
})

it('[T31] a player that ignores SIGTERM is killed after the grace time', async () => {
  const recorder = await start({}, { graceMs: 50 })
  await recorder.turn(script([{ ignoreSigterm: true, text: 'Try.' }]))
  const pid = recorder.pid
  await recorder.process.kill()
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(recorder.all('exit')).toEqual([])
})

it('[T32] a child that keeps stdout open does not keep the exit from being told', async () => {
  const recorder = await start()
  send(recorder, { fork: { lifeMs: 60_000 } }, { crash: 7 })
  const { code } = await recorder.wait('exit')
  expect(code).toBe(7)
  const said = recorder.all('output').flatMap(({ output }) => (output.kind === 'assistant_text' ? [output.text] : []))
  const child = Number(/^child (\d+)$/.exec(said[0] ?? '')?.[1])
  expect(process.kill(child, 0)).toBe(true)
  process.kill(child, 'SIGKILL')
})

it('[F15] a flood waits while nobody reads, and then arrives whole and in order', async () => {
  bench = await scriptedBench()
  const truth = join(bench.stateDir, 'truth.jsonl')
  const recorder = await start({ ROUNDHOUSE_SCRIPT_TRUTH: truth })
  const { adapter, process } = recorder
  const bytes = 20_000_000
  send(recorder, { flood: { bytes, line: 1000 } })
  await recorder.wait('output')
  adapter.pauseOutput?.(process, true)
  // Meanwhile another program prints as much to somebody who reads: one that did not wait would be done as well.
  const other = await start({ ROUNDHOUSE_SCRIPT_TRUTH: join(bench.stateDir, 'truth-of-another.jsonl') })
  send(other, { flood: { bytes, line: 1000 } })
  await other.wait('turn_completed')
  const held = readTruth(truth).length
  const received = recorder.all('output').length
  expect(held).toBeLessThan(5_000)
  expect(received).toBeLessThanOrEqual(held)

  adapter.pauseOutput?.(process, false)
  await recorder.wait('turn_completed')
  const numbers = recorder
    .all('output')
    .map(({ output }) => output.kind === 'assistant_text' && Number.parseInt(output.text, 10))
  expect(numbers.length).toBeGreaterThan(held)
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1))
  expect(readTruth(truth)).toHaveLength(numbers.length)
})

it('[F15] an interrupt ends a flood', async () => {
  const recorder = await start()
  send(recorder, { flood: { bytes: 10_000_000_000 } })
  await recorder.wait('output')
  await recorder.adapter.interrupt?.(recorder.process)
  expect((await recorder.wait('turn_completed')).info.reason).toBe('interrupted')
})

it('a dead connection to the model takes the text back and fails the turn', async () => {
  const recorder = await start()
  const turn = await recorder.turn(script([{ text: 'Half of it', drop: true }]))
  expect(turn.live.at(-1)).toEqual({ blockId: 'block-1-1', kind: 'assistant_text', text: '', discarded: true })
  expect(turn.outputs).toEqual([])
  expect(turn.info).toMatchObject({ reason: 'failed', error: { code: 'BACKEND_ERROR' } })
})

it.each([
  [401, 'BACKEND_AUTH'],
  [429, 'BACKEND_QUOTA'],
  [529, 'BACKEND_OVERLOADED'],
  [500, 'BACKEND_ERROR'],
])('[T27] a model service that answers %i fails the turn with %s, and the next one works', async (error, code) => {
  const recorder = await start()
  const turn = await recorder.turn(script([{ error }]))
  expect(turn.info).toMatchObject({ reason: 'failed', error: { code } })
  expect((await recorder.turn(script([{ text: 'Better.' }]))).text).toBe('Better.')
})

it('a model service that fails once is asked again', async () => {
  const recorder = await start()
  const turn = await recorder.turn(script([{ error: 529, times: 1, text: 'At last.' }]))
  expect(turn.outputs.map((output) => (output.kind === 'system' ? output.subtype : output.kind))).toEqual([
    'api_retry',
    'assistant_text',
  ])
})

it('a tool that the model names but that does not exist is a failed call', async () => {
  const recorder = await start()
  const turn = await recorder.turn(script([{ tool: 'mcp__nowhere__x' }, { text: 'Oh.' }]), allowAll)
  expect(turn.outputs[1]).toMatchObject({ kind: 'tool_result', isError: true })
})
