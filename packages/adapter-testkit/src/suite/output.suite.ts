/** What a backend prints reaches the host once, in order, in the contract's words. */
import { BackendOutput } from '@roundhouse/backend-types'
import { expect } from 'vitest'
import { allowAll, type Turn } from '../rig/recorder'
import type { Kit } from './kit'

const ANSWER = 'The first sentence of an answer. Then a second one, äöü and 🚂 included, so that it comes in pieces.'

export function outputRules(kit: Kit): void {
  const { rule, prompts } = kit

  rule('[LOG-4] the session id is reported once per spawn and before any output', async () => {
    const { recorder } = await kit.play(prompts.text('Hello.'))
    await recorder.turn(prompts.text('Hello again.').text)
    const sessions = recorder.all('session')
    expect(sessions).toHaveLength(1)
    expect(sessions[0]?.backendSessionId).not.toBe('')
    const first = recorder.events.findIndex(({ type }) => type === 'output' || type === 'live')
    expect(recorder.events.findIndex(({ type }) => type === 'session')).toBeLessThan(first)
  })

  rule('the answer arrives as text, whole and once', async () => {
    const { turn } = await kit.play(prompts.text(ANSWER))
    expect(turn.text).toBe(ANSWER)
    expect(turn.info.reason ?? 'completed').toBe('completed')
  })

  rule('[LOG-5] the live pieces of a block, joined, are the finished block that names it', async () => {
    const { turn } = await kit.play(prompts.text(ANSWER))
    const finished = finishedBlocks(turn)
    expect(finished.size).toBeGreaterThan(0)
    expect(joinedPieces(turn)).toEqual(finished)
    expect(turn.live.length).toBeGreaterThan(1)
  })

  rule('every output is one that the contract knows', async () => {
    const { turn } = await kit.play(prompts.toolThatPrints('marker-1', 'Read it.'), allowAll)
    for (const output of turn.outputs) expect(BackendOutput.parse(output)).toEqual(output)
  })

  rule('a tool call is told before its result, each once, under one callId', async () => {
    const { turn } = await kit.play(prompts.toolThatPrints('marker-2', 'Read it.'), allowAll)
    const [use, result] = turn.outputs.filter(({ kind }) => kind === 'tool_use' || kind === 'tool_result')
    expect(turn.outputs.filter(({ kind }) => kind === 'tool_use')).toEqual([use])
    expect(turn.outputs.filter(({ kind }) => kind === 'tool_result')).toEqual([result])
    if (use?.kind !== 'tool_use' || result?.kind !== 'tool_result') throw new Error('the order is wrong')
    expect(result.callId).toBe(use.callId)
    expect(result.isError ?? false).toBe(false)
    expect(JSON.stringify(result.output)).toContain('marker-2')
    expect(turn.text).toContain('Read it.')
  })

  rule('[LOG-7] one process takes turn after turn, and each ends exactly once', async () => {
    const recorder = await kit.start()
    for (const word of ['one', 'two', 'three']) {
      expect((await recorder.turn(prompts.text(`Answer ${word}.`).text)).text).toBe(`Answer ${word}.`)
    }
    expect(recorder.all('turn_completed')).toHaveLength(3)
    expect(recorder.all('turn_started')).toHaveLength(0)
  })

  rule('a finished turn tells its usage, its window, and its cost where the backend knows it', async () => {
    const { recorder, turn } = await kit.play(prompts.text('How much was it?'))
    const { capabilities } = recorder.adapter
    expect(turn.info.backendSessionId).toBe(recorder.all('session').at(-1)?.backendSessionId)
    if (capabilities.reportsUsage === false) expect(turn.info.usage).toBeUndefined()
    else expect(turn.info.usage?.inputTokens).toBeGreaterThan(0)
    if (capabilities.reportsWindow === false) expect(turn.info.contextUsage).toBeUndefined()
    else expect(turn.info.contextUsage?.total).toBeGreaterThan(turn.info.contextUsage?.used ?? 0)
    if (capabilities.reportsCost) expect(turn.info.cost).toBeGreaterThanOrEqual(0)
    else expect(turn.info.cost).toBeUndefined()
  })

  rule('[FLOW-2] what is printed while nobody reads is kept and comes afterwards, in order', async () => {
    const recorder = await kit.start()
    const { adapter, process } = recorder
    if (!adapter.pauseOutput) throw new Error(`${adapter.type} cannot stop reading`)
    adapter.pauseOutput(process, true)
    adapter.send(process, prompts.text(ANSWER).text)
    await new Promise((resolve) => setImmediate(resolve))
    adapter.pauseOutput(process, false)
    const turn = await recorder.finish(0, allowAll)
    expect(turn.text).toBe(ANSWER)
    expect(joinedPieces(turn)).toEqual(finishedBlocks(turn))
  })
}

function finishedBlocks({ outputs }: Turn): Map<string, string> {
  const blocks = new Map<string, string>()
  for (const output of outputs) {
    if ((output.kind === 'assistant_text' || output.kind === 'thinking') && output.blockId !== undefined) {
      blocks.set(output.blockId, output.text)
    }
  }
  return blocks
}

function joinedPieces({ live }: Turn): Map<string, string> {
  const blocks = new Map<string, string>()
  for (const { blockId, text, discarded } of live) {
    if (discarded) blocks.delete(blockId)
    else blocks.set(blockId, (blocks.get(blockId) ?? '') + text)
  }
  return blocks
}
