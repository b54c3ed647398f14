/** Claude Code answers what ended in the background in turns of its own: prompts that come meanwhile keep their own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { Resumed } from './resumed'

const missing = await missingReason('claude')

describe.skipIf(missing !== null)(
  `[claude] a turn of the program’s own${missing === null ? '' : ` (${missing})`}`,
  () => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind: 'claude' })
    })
    afterAll(() => rig.dispose())

    it('[LOG-7.7] [LOG-7.8] [CMD-5] [RES-6] comes before two prompts: each has its own answer and end, and the next host finds nothing that differs', async () => {
      const waits = { command: 'sleep 1; echo late', description: 'Wait', run_in_background: true }
      const session = await Resumed.begin(rig, [
        { tool: 'Bash', input: waits },
        { text: 'Began.' },
        { sleep: 1_500, text: 'It is late.' },
      ])
      await rig.allow(await rig.asked(session.sessionId))
      await until('the program to turn to it', () =>
        session.of('system').some(({ subtype }) => subtype === 'background_finished'),
      )
      const first = await rig.prompt(session.sessionId, [{ text: 'The first.' }])
      const second = await rig.prompt(session.sessionId, [{ text: 'The second.' }])
      const ends = [await session.endOf(first), await session.endOf(second)]
      expect(ends).toMatchObject([{ reason: 'completed' }, { reason: 'completed' }])
      const saidIn = (turnId: string) =>
        session.of('assistant_text').flatMap((event) => (event.turnId === turnId ? [event.text] : []))
      expect(ends.map(({ turnId }) => saidIn(turnId).at(-1))).toEqual(['The first.', 'The second.'])
      expect(session.texts).toEqual(['Began.', 'It is late.', 'The first.', 'The second.'])

      await session.killHost()
      expect(await session.plays({ text: 'And on.' })).toMatchObject({ reason: 'completed' })
      expect(session.texts.slice(4)).toEqual(['And on.'])
      const told = session.events.map((event) => JSON.stringify(event).slice(0, 300)).join('\n')
      expect(
        session.of('system').map(({ subtype }) => subtype),
        told,
      ).not.toContain('transcript_untold')
      await rig.agree(session.sessionId)
    })
  },
)
