/** An interrupt ends the turn wherever it stands, and nothing stays open behind it. */
import { expect } from 'vitest'
import { allowAll, type Recorder } from '../rig/recorder'
import { contentOf, type Kit, until } from './kit'
import { resultsOf, usesOf } from './permission.suite'

export function interruptRules(kit: Kit): void {
  const { rule, prompts } = kit

  async function interrupt({ adapter, process }: Recorder): Promise<void> {
    if (!adapter.interrupt) throw new Error(`${adapter.type} has no interrupt`)
    await adapter.interrupt(process)
  }

  async function takesTheNextTurn(recorder: Recorder): Promise<void> {
    const turns = recorder.all('turn_completed').length
    expect((await recorder.turn(prompts.text('Still here.').text)).text).toBe('Still here.')
    expect(recorder.all('turn_completed')).toHaveLength(turns + 1)
  }

  rule('an interrupt while it streams ends the turn once, and the next one works', async () => {
    const prompt = prompts.longStream()
    const recorder = await kit.start(prompt.spawn)
    recorder.adapter.send(recorder.process, prompt.text)
    await recorder.wait('live')
    await interrupt(recorder)
    const { info } = await recorder.wait('turn_completed')
    expect(info.reason).toBe('interrupted')
    await takesTheNextTurn(recorder)
  })

  rule(
    'an interrupt while a tool runs closes the call as failed, ends the turn once, and the next one works',
    async () => {
      const file = await kit.newFile()
      const prompt = prompts.slowTool(file)
      const recorder = await kit.start(prompt.spawn)
      const playing = recorder.turn(prompt.text, allowAll)
      await Promise.all([recorder.output('tool_use'), until(() => contentOf(file) !== undefined)])
      await interrupt(recorder)
      const turn = await playing
      expect(turn.info.reason).toBe('interrupted')
      expect(usesOf(turn)).toHaveLength(1)
      expect(resultsOf(turn)).toEqual([expect.objectContaining({ callId: usesOf(turn)[0]?.callId, isError: true })])
      await takesTheNextTurn(recorder)
    },
  )

  rule('an interrupt while an ask is open withdraws it first, and the call does not run', async () => {
    const file = await kit.newFile()
    const prompt = prompts.toolThatAsks(file, 'as asked', 'That was it.')
    const recorder = await kit.start(prompt.spawn)
    recorder.adapter.send(recorder.process, prompt.text)
    const { request } = await recorder.wait('ask')
    await interrupt(recorder)
    const { info } = await recorder.wait('turn_completed')
    expect(info.reason).toBe('interrupted')
    const order = recorder.events.filter(({ type }) => type === 'withdrawn' || type === 'turn_completed')
    expect(order).toEqual([
      { type: 'withdrawn', callId: request.callId },
      { type: 'turn_completed', info },
    ])
    await expect(recorder.decide(request.callId, { decision: 'allow' })).rejects.toMatchObject({ code: 'REQUEST_GONE' })
    await takesTheNextTurn(recorder)
    expect(contentOf(file)).toBeUndefined()
  })

  rule('an interrupt of nothing does nothing', async () => {
    const recorder = await kit.start()
    await interrupt(recorder)
    await takesTheNextTurn(recorder)
    await interrupt(recorder)
    await takesTheNextTurn(recorder)
  })

  rule('a text for the running turn is not taken when none runs', async () => {
    const recorder = await kit.start()
    const { adapter, process } = recorder
    expect(adapter.steer === undefined).toBe(!adapter.capabilities.supportsMessageInjection)
    expect((await adapter.steer?.(process, 'Turn left.')) ?? false).toBe(false)
    await takesTheNextTurn(recorder)
  })
}
