/** The end of a turn has what the program says of that turn, and nothing that it does not say. */
import { TurnFigures } from '@roundhouse/backend-types'
import { expect } from 'vitest'
import type { Kit } from './kit'

export function figureRules(kit: Kit): void {
  const { rule, prompts, harness } = kit
  const { tells } = harness

  rule(
    '[LOG-7.27] a finished turn says how it stopped and how often the model was asked, if the program does',
    async () => {
      const recorder = await kit.start()
      await recorder.turn(prompts.text('The first.').text)
      const { info } = await recorder.turn(prompts.text('The second.').text)
      expect(TurnFigures.parse(info)).toMatchObject(info.usage ? { usage: info.usage } : {})
      expect(info.numTurns).toBe(tells.numTurns ? 1 : undefined)
      expect(info.stopReason).toEqual(tells.stopReason ? expect.stringMatching(/./) : undefined)
      expect(info.denials).toBeUndefined()
    },
  )

  rule('[LOG-7.27] a turn has the time of its own requests, also after a resume, if the program tells it', async () => {
    const { recorder: first, turn } = await kit.play(prompts.text('The first.'))
    const { info: second } = await first.turn(prompts.text('The second.').text)
    await first.adapter.stop(first.process)
    const resumed = await kit.start({ resumeId: first.all('session')[0]?.backendSessionId })
    const { info: third } = await resumed.turn(prompts.text('The third.').text)
    for (const { apiDuration, duration = 0 } of [turn.info, second, third]) {
      if (tells.apiDuration) expect(apiDuration).toBeLessThanOrEqual(duration)
      else expect(apiDuration).toBeUndefined()
    }
  })

  rule(
    '[LOG-7.27] a denied call is among the denials of its turn, and of no other, if the program lists them',
    async () => {
      const prompt = prompts.toolThatAsks(await kit.newFile(), 'as asked', 'That was it.')
      const recorder = await kit.start(prompt.spawn)
      const turn = await recorder.turn(prompt.text, () => ({ decision: 'deny', reason: 'not today' }))
      const denied = turn.asks.map(({ toolName, callId }) => expect.objectContaining({ toolName, callId }))
      expect(turn.info.denials).toEqual(tells.denials ? denied : undefined)
      expect((await recorder.turn(prompts.text('The next.').text)).info.denials).toBeUndefined()
    },
  )
}
