/** What the log says of a command of the real programs that a person stops with its turn: no failure, and no words for the model. */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { playedOn } from '../support/rigs/whole-matrix'
import { freshPath, Resumed } from './resumed'

const missing = await missingReason('claude')
const runs = {
  claude: (command: string) => ({ tool: 'Bash', input: { command, description: 'waits' } }),
  codex: (cmd: string) => ({ tool: 'exec_command', input: { cmd, yield_time_ms: 30_000 } }),
} satisfies Record<RealBackend, (command: string) => object>

describe.skipIf(missing !== null).each(playedOn('claude'))(
  `[%s] a command that is stopped with its turn${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind })
    })
    afterAll(() => rig.dispose())

    it('[LOG-7.17] [LOG-7.18] is told as stopped, without what the model is told, and the next turn works', async () => {
      const file = freshPath(rig, 'begun')
      const session = await Resumed.begin(rig, [runs[kind](`touch ${file}; sleep 600`)])
      if (kind === 'claude') await rig.allow(await rig.asked(session.sessionId))
      await until('it to run', () => existsSync(file) && session.of('tool_use').length === 1)
      const [turn] = session.of('turn_started')
      await rig.rest.interrupt(session.sessionId, turn?.turnId ?? '')
      await session.turns(1)
      const [result] = session.of('tool_result')
      expect(result).toMatchObject({ output: '', isError: true, stopped: true })
      if (kind === 'claude') expect(result?.toModel).toContain('STOP what you are doing')
      expect(await session.plays({ text: 'On it goes.' })).toMatchObject({ reason: 'completed' })
      await rig.agree(session.sessionId)
    })
  },
)
