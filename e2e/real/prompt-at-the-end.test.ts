/** "End process" and a prompt at once, on the real programs: the prompt is for the next program. */
import { describe, expect, it } from 'vitest'
import { missingReason, type RealBackend } from '../support/backends'
import { startRig } from '../support/rig'
import { Resumed } from './resumed'

const kinds: RealBackend[] = ['claude', 'codex']
const missing = await missingReason('claude')
const times = 2

describe.skipIf(missing !== null)(
  `a prompt that comes while a program ends${missing === null ? '' : ` (${missing})`}`,
  () => {
    it.each(kinds)('[CMD-5] [%s] waits for the next one, each time', async (kind) => {
      const rig = await startRig({ kind })
      try {
        const session = await Resumed.begun(rig, {}, 'Text 0.')
        for (let n = 1; n <= times; n++) {
          const ended = rig.rest.endProcess(session.sessionId)
          const prompted = rig.prompt(session.sessionId, [{ text: `Text ${n}.` }])
          await Promise.all([ended, prompted])
          await session.turns(n + 1)
        }
        const turns = Array.from({ length: times + 1 }, (_, n) => n)
        expect(session.of('turn_completed').map(({ reason }) => reason)).toEqual(turns.map(() => 'completed'))
        expect(session.texts).toEqual(turns.map((n) => `Text ${n}.`))
        await rig.agree(session.sessionId)
      } finally {
        await rig.dispose()
      }
    })
  },
)
