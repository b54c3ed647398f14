/** The places of a machine, with real programs in them: what runs in the background takes one, and leaves it when it is done. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { variationsUnless } from '../support/rigs/variation'
import { playedOn, wholeMatrix } from '../support/rigs/whole-matrix'
import { freshPath, Resumed } from './resumed'

const missing = await missingReason('claude')
/** Busy in the background are all places but one; one more is, in the end. */
const { limit, sessions } = wholeMatrix ? { limit: 4, sessions: 10 } : { limit: 2, sessions: 4 }
/** Lasts until there is this file. */
const waits = (file: string) => `until [ -e ${file} ]; do sleep 0.2; done`
const runs = {
  claude: (cmd: string) => ({ tool: 'Bash', input: { command: cmd, description: cmd, run_in_background: true } }),
  codex: (cmd: string) => ({ tool: 'exec_command', input: { cmd, yield_time_ms: 250 } }),
} satisfies Record<RealBackend, (cmd: string) => object>

variationsUnless(missing !== null).each(playedOn('claude'))(
  `[%s] places${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind })
      const { agent } = rig.system
      const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
      agent.writePolicy({ ...policy, limits: { ...policy.limits, runningSessions: limit } })
    })
    afterAll(() => rig.dispose())

    /** Its turn is over, and its command runs. */
    async function busyUntil(file: string): Promise<Resumed> {
      const session = await Resumed.begin(rig, [runs[kind](waits(file)), { text: 'It runs.' }])
      // It asks about a loop; Codex has its sandbox.
      if (kind === 'claude') await rig.allow(await rig.asked(session.sessionId))
      await session.turns(1)
      await until('the command to be in the list', async () => {
        const [task] = (await session.session()).background ?? []
        return task?.label.includes(path.basename(file))
      })
      return session
    }

    it(`[CMD-8] [SES-6] of ${sessions} sessions on a limit of ${limit}, ${limit - 1} are busy in the background: the others come through the last place, and the place of a command that is done is free`, async () => {
      const files = Array.from({ length: limit }, () => freshPath(rig, 'done'))
      const busy = await Promise.all(files.slice(1).map(busyUntil))
      const before = busy.map(({ pids }) => pids)
      const others = await Promise.all(
        Array.from({ length: sessions - limit }, () => Resumed.begin(rig, [{ text: 'Mine now.' }])),
      )
      const running = () => [...busy, ...others].filter(({ clis }) => clis.length > 0)
      let most = 0
      await until('all others to have had their turn', () => {
        most = Math.max(most, running().length)
        return others.every((session) => session.of('turn_completed').length === 1)
      })
      expect(most).toBe(limit)
      const last = await busyUntil(files[0] ?? '')
      const all = [...busy, last]
      expect(all.map(({ clis }) => clis.length)).toEqual(all.map(() => 1))

      const [first] = others as [Resumed]
      const next = await rig.prompt(first.sessionId, [{ text: 'Mine again.' }])
      await until('it to wait for a place', async () => {
        const taken = (await first.session()).queue[0]?.waits
        return taken?.running === limit && taken.limit === limit
      })
      writeFileSync(files[0] ?? '', '')
      expect(await first.endOf(next)).toMatchObject({ reason: 'completed' })
      expect(last.clis).toEqual([])
      expect(busy.map(({ pids }) => pids)).toEqual(before)
      const told = all.flatMap((session) => session.of('system')).map(({ subtype }) => subtype)
      expect(told).not.toContain('background_ended')
      for (const file of files) writeFileSync(file, '')
    })
  },
)
