/** A call that asks waits for its decision, and the decision is what happens. */
import type { BackendOutput } from '@roundhouse/backend-types'
import { expect } from 'vitest'
import { allowAll, type Decider, type Turn } from '../rig/recorder'
import { contentOf, type Kit } from './kit'

const refuse =
  (decision: ReturnType<Decider>): Decider =>
  () =>
    decision

export function permissionRules(kit: Kit): void {
  const { rule, prompts } = kit

  /** Plays one asking call with this decider. */
  async function decide(decider: Decider) {
    const file = await kit.newFile()
    const prompt = prompts.toolThatAsks(file, 'as asked', 'That was it.')
    const { recorder, turn } = await kit.play(prompt, decider)
    return { recorder, turn, file, prompt, written: contentOf(file) }
  }

  rule(
    'an ask names the call that it belongs to, shows its whole input, and nothing runs before the decision',
    async () => {
      let before: string | undefined = 'never asked'
      const file = await kit.newFile()
      const { turn } = await kit.play(prompts.toolThatAsks(file, 'as asked', 'That was it.'), () => {
        before = contentOf(file)
        return { decision: 'allow' }
      })
      expect(before).toBeUndefined()
      expect(turn.asks).toHaveLength(1)
      const [ask] = turn.asks
      const use = usesOf(turn)[0]
      expect(ask?.callId).toBe(use?.callId)
      expect(use?.toolName).toBe(ask?.toolName)
      for (const input of [ask?.input, use?.input]) expect(JSON.stringify(input)).toContain('as asked')
      const asked = turn.events.findIndex(({ type }) => type === 'ask')
      expect(turn.events.findIndex((event) => event.type === 'output' && event.output === use)).toBeLessThan(asked)
    },
  )

  rule('allow runs the call as it was asked', async () => {
    const { turn, written } = await decide(allowAll)
    expect(written).toBe('as asked')
    expect(resultsOf(turn)).toEqual([expect.not.objectContaining({ isError: true })])
    expect(turn.text).toContain('That was it.')
  })

  rule('[PERM-5] allow for the session is a plain allow to the program: the next call asks again', async () => {
    const { recorder, prompt, written, file } = await decide(() => ({ decision: 'allow_session' }))
    expect(written).toBe('as asked')
    const second = await recorder.turn(prompts.toolThatAsks(`${file}.second`, 'once more', 'Again.').text, allowAll)
    expect(second.asks.map(({ toolName }) => toolName)).toHaveLength(1)
    expect(contentOf(`${file}.second`)).toBe('once more')
    expect(prompt.toolName).not.toBe('')
  })

  rule('an allow with another input runs that one, or is refused where the backend cannot', async () => {
    const file = await kit.newFile()
    const prompt = prompts.toolThatAsks(file, 'as asked', 'That was it.')
    const recorder = await kit.start(prompt.spawn)
    recorder.adapter.send(recorder.process, prompt.text)
    const { request } = await recorder.wait('ask')
    const { supportsEditedInput } = recorder.adapter.capabilities
    const updatedInput = prompt.edit?.(request.input, 'as edited') ?? { other: true }
    const edited = recorder.decide(request.callId, { decision: 'allow', updatedInput })
    if (supportsEditedInput) await edited
    else {
      await expect(edited).rejects.toMatchObject({ code: expect.stringMatching(/^(UNSUPPORTED|EDIT_NOT_ALLOWED)$/) })
      await recorder.decide(request.callId, { decision: 'allow' })
    }
    await recorder.wait('turn_completed')
    expect(contentOf(file)).toBe(supportsEditedInput ? 'as edited' : 'as asked')
  })

  rule('deny does not run the call; the reason reaches the model where it can; the turn goes on', async () => {
    const { recorder, turn, written } = await decide(refuse({ decision: 'deny', reason: 'not on a Sunday' }))
    expect(written).toBeUndefined()
    expect(resultsOf(turn)).toEqual([expect.objectContaining({ isError: true })])
    expect(turn.info.reason ?? 'completed').toBe('completed')
    if (recorder.adapter.capabilities.supportsDenyReason) {
      const { userTexts } = await (await kit.bench()).modelView()
      expect([JSON.stringify(resultsOf(turn)), ...userTexts].join('\n')).toContain('not on a Sunday')
    }
  })

  rule('abort does not run the call and ends the turn; the process takes the next one', async () => {
    const { recorder, turn, written } = await decide(refuse({ decision: 'abort' }))
    expect(written).toBeUndefined()
    expect(turn.info.reason).toBe('interrupted')
    expect(openCallsOf(turn)).toEqual([])
    expect((await recorder.turn(prompts.text('Still here.').text)).text).toBe('Still here.')
  })

  rule('[PERM-4] an ask that nobody answered does not run, and its turn still ends once', async () => {
    const { recorder, turn, written } = await decide(refuse({ decision: 'deny', unanswered: true }))
    expect(written).toBeUndefined()
    expect(openCallsOf(turn)).toEqual([])
    expect((await recorder.turn(prompts.text('Still here.').text)).text).toBe('Still here.')
    expect(recorder.all('turn_completed')).toHaveLength(2)
  })

  rule('a decision on nothing, or a second decision, is REQUEST_GONE', async () => {
    const prompt = prompts.toolThatAsks(await kit.newFile(), 'as asked', 'That was it.')
    const recorder = await kit.start(prompt.spawn)
    recorder.adapter.send(recorder.process, prompt.text)
    const { request } = await recorder.wait('ask')
    const gone = { code: 'REQUEST_GONE' }
    await expect(recorder.decide('never-asked', { decision: 'allow' })).rejects.toMatchObject(gone)
    await recorder.decide(request.callId, { decision: 'deny' })
    await expect(recorder.decide(request.callId, { decision: 'allow' })).rejects.toMatchObject(gone)
    await recorder.wait('turn_completed')
    await expect(recorder.decide(request.callId, { decision: 'allow' })).rejects.toMatchObject(gone)
  })

  const two = prompts.twoToolsThatAsk
  if (two) {
    rule('[PERM-6] two open asks are decided in any order', async () => {
      const files: [string, string] = [await kit.newFile(), await kit.newFile()]
      const prompt = two(files, 'as asked')
      const recorder = await kit.start(prompt.spawn)
      recorder.adapter.send(recorder.process, prompt.text)
      const { request: first } = await recorder.wait('ask')
      const { request: second } = await recorder.wait('ask', ({ request }) => request.callId !== first.callId)
      await recorder.decide(second.callId, { decision: 'allow' })
      await recorder.decide(first.callId, { decision: 'deny' })
      await recorder.wait('turn_completed')
      expect(files.map(contentOf)).toEqual([undefined, 'as asked'])
    })
  }
}

type Use = Extract<BackendOutput, { kind: 'tool_use' }>
type Result = Extract<BackendOutput, { kind: 'tool_result' }>

export function usesOf({ outputs }: Turn): Use[] {
  return outputs.filter((output): output is Use => output.kind === 'tool_use')
}

export function resultsOf({ outputs }: Turn): Result[] {
  return outputs.filter((output): output is Result => output.kind === 'tool_result')
}

/** Calls that never got their one result. */
export function openCallsOf(turn: Turn): string[] {
  const closed = resultsOf(turn).map(({ callId }) => callId)
  return usesOf(turn)
    .map(({ callId }) => callId)
    .filter((callId) => closed.filter((id) => id === callId).length !== 1)
}
