/** A version of a program that was never tried with this release: the machine says so, and a session on it runs. */
import { expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { startRig } from '../support/rigs/rig'
import { Resumed } from './resumed'
import { watchProgram } from './watched-program'

const missing = await missingReason('claude')

it.skipIf(missing !== null)(
  `[POL-1] [claude] a session on a version that nobody tried runs; the machine tells those that were tried, and the transcript says nothing of it${missing === null ? '' : ` (${missing})`}`,
  async () => {
    const rig = await startRig({ kind: 'claude' })
    try {
      const program = await watchProgram(rig, '2.1.999 (Claude Code)')
      const entry = await until('the machine to tell the version', async () => {
        const [agent] = (await rig.rest.agents()).items
        return agent?.manifest?.backends.find(({ kind, version }) => kind === 'claude' && version === '2.1.999')
      })
      expect(entry).toMatchObject({ installed: true, testedWith: [expect.stringMatching(/^2\.1\.\d+$/)] })
      const session = await Resumed.begin(rig, [{ text: 'All the same.' }])
      await session.turns(1)
      expect([session.texts, program.startsFor(session.sessionId)]).toEqual([['All the same.'], 1])
      expect(session.of('system').filter((event) => /tested|tried/.test(JSON.stringify(event)))).toEqual([])
    } finally {
      await rig.dispose()
    }
  },
)
