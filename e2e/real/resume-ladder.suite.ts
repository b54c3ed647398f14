/**
 * The resume ladder on a real program: what goes on by itself, what a person takes up again, and what is told honestly
 * when it cannot go on (RES-1 to RES-8).
 */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { askingStep, missingReason, numbered, type RealBackend, toolThatRuns } from '../support/processes/backends'
import { isRunning } from '../support/processes/processes'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { askedWith, freshPath, own, Resumed, victims } from './resumed'

const speaking = { text: numbered(60), chunk: 12, delayMs: 30 }

export async function runResumeLadder(kind: RealBackend): Promise<void> {
  const missing = await missingReason(kind)
  /** What is the same on both programs is played on one of them; `npm run matrix` plays it on both. */
  const on = (one: RealBackend) => wholeMatrix || kind === one
  const name = `[${kind}] a session that is resumed${missing === null ? '' : ` (${missing})`}`
  describe.skipIf(missing !== null)(name, () => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind })
    })
    afterAll(() => rig.dispose())

    describe('while the machine’s daemon is away', () => {
      it.runIf(wholeMatrix)(
        '[RES-1.1] [F3] a turn runs to its end, and the next daemon finds the same program',
        async () => {
          const session = await Resumed.begun(rig)
          await rig.prompt(session.sessionId, [speaking])
          await until('the turn', () => session.of('turn_started').length === 2)
          const { backendPid } = session.pids
          await rig.system.agent.kill()
          await session.turns(2)
          await rig.system.agent.start()
          await rig.agree(session.sessionId)
          expect(session.texts).toEqual(['Before.', speaking.text])
          expect(session.pids.backendPid).toBe(backendPid)
        },
      )

      const orphans = ['a tool that runs', 'a tool that ignores SIGTERM', 'a command that hid']
      it.each(wholeMatrix ? orphans : kind === 'claude' ? ['a tool that ignores SIGTERM'] : ['a command that hid'])(
        '[RES-6.6] an orphan is found by its mark and ended before anything else starts: %s',
        async (what) => {
          const session = await Resumed.begun(rig)
          const hides = what === 'a command that hid'
          const file = freshPath(rig, 'orphan')
          const tool = toolThatRuns(kind, file, { ignoresTerm: what === 'a tool that ignores SIGTERM' })
          // The shell stays until it has left: who still belongs to the shell's group may be ended with it.
          const left = `for i in $(seq 600); do [ -e ${file}.runs ] && break; sleep 0.1; done`
          const hidden = `(setsid sh -c '${tool.command}' > /dev/null 2>&1 < /dev/null &); ${left}`
          await rig.prompt(session.sessionId, [hides ? askingStep(kind, hidden, 'Hide') : tool.step, { text: 'Done.' }])
          await session.allow()
          await until('the command', tool.runs)
          if (hides) await session.turns(2)
          const before = session.programs
          await rig.system.agent.kill()
          session.killHostAndGuard()
          // Codex ends with its host and takes what it runs along; only what left it stays.
          if (kind === 'claude' || hides) expect(before.some(isRunning)).toBe(true)
          await rig.system.agent.start()
          expect(await session.plays({ text: 'After.' })).toMatchObject({ reason: 'completed' })
          expect(before.filter(isRunning)).toEqual([])
          expect(existsSync(file)).toBe(false)
          expect([session.conversations.length, session.clis.length]).toEqual([1, 1])
          await rig.agree(session.sessionId)
        },
      )

      // Codex ends with its host, in the middle of a word.
      if (kind === 'claude') {
        it('[RES-6.22] [F4] what a program says to nobody is in the log, once, marked recovered', async () => {
          const session = await Resumed.begun(rig)
          const asked = askedWith(rig, 'word60').length
          await rig.prompt(session.sessionId, [speaking])
          await until('the model', () => askedWith(rig, 'word60').length > asked)
          const before = session.programs
          await rig.system.agent.kill()
          session.killHostAndGuard()
          await until('it to have finished', () => !before.some(isRunning))
          await rig.system.agent.start()
          await session.turns(2)
          expect(session.of('assistant_text').at(-1)).toMatchObject({ text: speaking.text, recovered: true })
          await session.plays({ text: 'After.' })
          await rig.agree(session.sessionId)
          expect(session.texts).toEqual(['Before.', speaking.text, 'After.'])
        })
      }
    })

    describe('whose program is gone', () => {
      const dying = wholeMatrix ? victims : ([kind === 'claude' ? 'host' : 'program'] as const)

      it.concurrent.each(dying)(
        '[RES-2] goes on in the same conversation by Resume, after the death of its %s',
        async (who) => {
          const session = await Resumed.begun(rig)
          await session.kill(who)
          await session.isNow('resumable')
          await rig.rest.resume(session.sessionId)
          await session.isNow('idle')
          const marker = `Remembers ${session.sessionId}.`
          await session.plays({ text: marker })
          expect(askedWith(rig, marker).at(-1)).toContain('Before.')
          expect([session.starts, session.conversations.length]).toEqual([[false, true], 1])
        },
      )

      it.concurrent.each(wholeMatrix ? dying : [])(
        '[RES-4] two people resume and send at once: one start, after the death of its %s',
        async (who) => {
          const session = await Resumed.begun(rig)
          await session.kill(who)
          const { sessionId } = session
          const resumes = [rig.rest.resume(sessionId), rig.rest.resume(sessionId)]
          const sends = ['One.', 'Two.'].map((text) => rig.prompt(sessionId, [{ text }]))
          await Promise.all([...resumes, ...sends])
          await session.turns(3)
          await rig.agree(sessionId)
          expect([...session.texts].sort()).toEqual(['Before.', 'One.', 'Two.'])
          expect([session.starts, session.conversations.length, session.clis.length]).toEqual([[false, true], 1, 1])
        },
      )

      it.concurrent.each(on('codex') ? dying : [])(
        '[RES-7] has its model, mode and sandbox again, after the death of its %s',
        async (who) => {
          const session = await Resumed.begun(rig, own[kind].made)
          await rig.rest.configure(session.sessionId, own[kind].changed)
          await until('the change', () => session.of('session_configured').length === 1)
          await session.kill(who)
          const file = freshPath(rig, 'unasked')
          expect(await session.plays(own[kind].unasked(file), { text: 'Done.' })).toMatchObject({ reason: 'completed' })
          expect([existsSync(file), session.of('permission_requested').length]).toEqual([true, 0])
          expect(askedWith(rig, file).at(-1)).toContain(`"model":"${own[kind].changed.model}"`)
        },
      )

      it.concurrent('[RES-3] is resumed by itself where that was wished', { skip: !on('codex') }, async () => {
        const session = await Resumed.begun(rig, { autoResume: true })
        await session.killProgram()
        await until('the next', () => session.starts.length === 2)
        await session.isNow('idle')
        expect([session.starts, session.conversations.length]).toEqual([[false, true], 1])
      })
    })

    describe('whose conversation is gone', () => {
      it.concurrent('[RES-5.1] [RES-5.3] [RES-5.4] says so, starts nothing else by itself, and is begun afresh by a person', {
        skip: !on('claude'),
      }, async () => {
        const session = await Resumed.begun(rig, {}, 'The blue door.')
        await session.killProgram()
        session.forget()
        const before = session.events
        const dead = { code: 'RESUME_UNAVAILABLE' }
        expect(await session.plays({ text: 'No.' })).toMatchObject({ reason: 'failed', error: dead })
        expect(await session.refusalOf(await rig.rest.resume(session.sessionId))).toBe(dead.code)
        expect(await session.isNow('resumable')).toMatchObject({ error: dead })
        expect([session.clis, session.starts]).toEqual([[], [false]])

        await rig.rest.resume(session.sessionId, { fresh: true })
        expect(await session.plays({ text: 'Afresh.' })).toMatchObject({ reason: 'completed' })
        expect(session.of('system').map(({ subtype }) => subtype)).toContain('started_afresh')
        expect([session.starts, session.conversations.length]).toEqual([[false, false], 2])
        expect(session.events.slice(0, before.length)).toEqual(before)
        expect(askedWith(rig, 'Afresh.').at(-1)).toContain('The blue door.')
        await rig.agree(session.sessionId)
      })

      it.concurrent('[RES-8.4] before its first turn was over begins another, and replays nothing', {
        skip: !on('codex'),
      }, async () => {
        const session = await Resumed.begin(rig, [{ text: 'Never over.', hang: true }])
        await until('the model', () => askedWith(rig, 'Never over.').length > 0)
        await session.killProgram()
        session.forget()
        const asked = askedWith(rig, 'Never over.').length
        expect(await session.plays({ text: 'Another.' })).toMatchObject({ reason: 'completed' })
        expect([session.starts, session.conversations.length]).toEqual([[false, false], 2])
        expect(askedWith(rig, 'Never over.')).toHaveLength(asked)
        expect(session.of('user_message')).toHaveLength(2)
      })
    })

    describe.runIf(on('codex'))('whose folder is another', () => {
      const changes = {
        'moved away': () => {},
        'a link to another folder': (folder: string) => symlinkSync(rig.system.workDir, folder),
      }
      const moves = ['moved away', 'a link to another folder'] as const
      it.concurrent.each(wholeMatrix ? moves : on('codex') ? (['moved away'] as const) : [])(
        '[RES-2] [POL-1] starts nothing there, says why, and goes on when it is back: %s',
        async (change) => {
          const workDir = freshPath(rig, 'folder')
          mkdirSync(workDir)
          const session = await Resumed.begun(rig, { workDir })
          await session.killProgram()
          renameSync(workDir, `${workDir}-away`)
          changes[change](workDir)
          const code = 'PATH_NOT_ALLOWED'
          expect(await session.refusalOf(await rig.prompt(session.sessionId, [{ text: 'No.' }]))).toBe(code)
          expect(await session.refusalOf(await rig.rest.resume(session.sessionId))).toBe(code)
          expect(await session.isNow('resumable')).toMatchObject({ error: { code } })
          expect([session.programsIn(rig.system.workDir), session.starts]).toEqual([[], [false]])
          rmSync(workDir, { force: true })
          renameSync(`${workDir}-away`, workDir)
          expect(await session.plays({ text: 'Back.' })).toMatchObject({ reason: 'completed' })
          expect([session.texts, session.conversations.length]).toEqual([['Before.', 'Back.'], 1])
        },
      )
    })
  })
}
