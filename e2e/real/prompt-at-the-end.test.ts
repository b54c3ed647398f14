/** "End process" and a prompt at once, on the real programs. Their way has no order for the two (CMD-2): the host has. */
import { expect, it } from 'vitest'
import { takenAt } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { startRig } from '../support/rigs/rig'
import { variationsUnless } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { Resumed } from './resumed'

const kinds: RealBackend[] = ['claude', 'codex']
const missing = await missingReason('claude')
const times = wholeMatrix ? 100 : 3

variationsUnless(missing !== null)(
  `"End process" and a prompt at once${missing === null ? '' : ` (${missing})`}`,
  () => {
    it.each(kinds)(
      `[CMD-5.12] [%s] a prompt that its host takes second is for the next program; the first is done, or ends with the program: ${times} times`,
      async (kind) => {
        const rig = await startRig({ kind })
        try {
          const session = await Resumed.begun(rig, {}, 'Text 0.')
          const taken = ({ commandId }: { commandId: string }) =>
            takenAt(rig.system.agent.sessionFolder(session.sessionId), commandId)
          const played: Array<{ text: string; second: boolean; reason: string }> = []
          for (let n = 1; n <= times; n++) {
            const text = `Text ${n}.`
            const [end, prompt] = await Promise.all([
              rig.rest.endProcess(session.sessionId),
              rig.prompt(session.sessionId, [{ text }]),
            ])
            const { reason } = await session.endOf(prompt)
            // A prompt that is done may be done before the end comes at all.
            await until('the end to be taken', () => taken(end))
            played.push({ text, second: taken(prompt) > taken(end), reason })
          }
          const done = played.filter(({ reason }) => reason === 'completed')
          const ended = played.filter(({ reason }) => reason === 'process_exited')
          expect(done.length + ended.length).toBe(times)
          expect(ended.filter(({ second }) => second)).toEqual([])
          if (wholeMatrix) expect(done.some(({ second }) => second)).toBe(true)
          expect(session.of('user_message')).toHaveLength(times + 1)
          expect(session.of('turn_completed')).toHaveLength(times + 1)
          const texts = done.map(({ text }) => text)
          expect(session.texts.filter((text) => texts.includes(text))).toEqual(texts)
          await rig.agree(session.sessionId)
        } finally {
          await rig.dispose()
        }
      },
      60_000 + times * 15_000,
    )
  },
)
