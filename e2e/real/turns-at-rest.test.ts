/** A terminal goes on with the conversation of a session that sleeps: its turns are here before anybody wakes it. */
import { execFile } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { playedOn } from '../support/rigs/whole-matrix'
import { askedWith, Resumed } from './resumed'
import { type WatchedProgram, watchProgram } from './watched-program'

const missing = await missingReason('claude')
const goesOn = {
  claude: (id: string, prompt: string) => ['--resume', id, '-p', prompt],
  codex: (id: string, prompt: string) => ['exec', '--skip-git-repo-check', 'resume', id, prompt],
} satisfies Record<RealBackend, (id: string, prompt: string) => string[]>

describe.skipIf(missing !== null).each(playedOn('claude'))(
  `[%s] a session at rest${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    let rig: Rig
    let program: WatchedProgram
    /** Codex alone reads its records: a program without a conversation does, and goes. */
    const started = (session: Resumed) =>
      kind === 'claude' ? program.startsFor(session.sessionId) : session.starts.length
    beforeAll(async () => {
      rig = await startRig({ kind, idleMs: 300 })
      program = await watchProgram(rig)
    })
    afterAll(() => rig.dispose())

    function inTerminal(id: string, text: string): Promise<void> {
      const { path = '', env, workDir } = rig.system.around
      return new Promise((resolve, reject) => {
        const args = goesOn[kind](id, scriptOf([{ text }]))
        const child = execFile(path, args, { cwd: workDir, env }, (error) => (error ? reject(error) : resolve()))
        child.stdin?.end()
      })
    }

    it('[RES-9.1] [RES-9.2] [LOG-1] has the turns of a terminal at the hub, once and in order, starts no session program for them, and the next prompt goes on behind them', async () => {
      const session = await Resumed.begun(rig, {}, 'Here.')
      await session.isNow('resumable')
      const asked = rig.system.around.asked().length
      expect(started(session)).toBe(1)
      const [id = ''] = session.conversations
      await inTerminal(id, 'There.')
      await session.turns(2)
      await inTerminal(id, 'There again.')
      await session.turns(3)
      expect(session.texts).toEqual(['Here.', 'There.', 'There again.'])
      expect(session.of('turn_started').map(({ elsewhere }) => elsewhere === true)).toEqual([false, true, true])
      await rig.agree(session.sessionId)
      expect(await session.isNow('resumable')).toMatchObject({ why: 'idle' })
      expect([started(session), session.starts]).toEqual([1, [false]])
      const ours = askedWith(rig, '')
        .slice(asked)
        .filter((text) => !/There\.|There again\./.test(text))
      expect([ours, session.programs]).toEqual([[], []])

      expect(await session.plays({ text: 'Here again.' })).toMatchObject({ reason: 'completed' })
      expect(askedWith(rig, 'Here again.').at(-1)).toMatch(/There\..*There again\./)
      expect([started(session), session.starts]).toEqual([2, [false, true]])
      expect(session.texts).toEqual(['Here.', 'There.', 'There again.', 'Here again.'])
      expect(session.of('system').map(({ subtype }) => subtype)).not.toContain('transcript_untold')
    })
  },
)
