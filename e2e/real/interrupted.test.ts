/** What is left of thoughts that a person cut short, on the real programs: they say nothing of them themselves. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { variationsUnless } from '../support/rigs/variation'
import { playedOn } from '../support/rigs/whole-matrix'
import { Resumed } from './resumed'

const missing = await missingReason('claude')

variationsUnless(missing !== null).each(playedOn('claude'))(
  `[%s] an interrupt${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind })
    })
    afterAll(() => rig.dispose())

    it('[LOG-5.8] [RES-6] thoughts that a person interrupted stay, as a part, and the next host finds nothing that differs', async () => {
      const thinking = Array.from({ length: 60 }, (_, n) => `thought${n}`).join(' ')
      const session = await Resumed.begin(rig, [{ thinking, chunk: 8, delayMs: 40, text: 'Said.' }])
      const { turnId } = await until('the turn', () => session.of('turn_started')[0])
      await until('thoughts', async () => {
        const { openBlocks } = await rig.rest.snapshot(session.sessionId)
        return openBlocks.some(({ text }) => text.includes('thought2'))
      })
      await rig.rest.interrupt(session.sessionId, turnId)
      await session.turns(1)
      const [kept] = session.of('thinking')
      expect(kept).toMatchObject({ partial: true, text: expect.stringContaining('thought2') })
      expect(thinking.startsWith(String(kept?.text))).toBe(true)
      expect([session.of('turn_completed')[0]?.reason, session.texts]).toEqual(['interrupted', []])
      await session.killHost()
      expect(await session.plays({ text: 'And on.' })).toMatchObject({ reason: 'completed' })
      expect([session.of('thinking').length, session.texts]).toEqual([1, ['And on.']])
      expect(session.of('system').map(({ subtype }) => subtype)).not.toContain('transcript_untold')
    })
  },
)
