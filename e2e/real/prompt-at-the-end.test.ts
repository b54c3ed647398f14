/**
 * A prompt right behind "End process", on the real programs: it is for the next one. The hub has the one before it is asked
 * for the other: what is sent at once it may take in any order.
 */
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
          await rig.rest.endProcess(session.sessionId)
          await rig.prompt(session.sessionId, [{ text: `Text ${n}.` }])
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
