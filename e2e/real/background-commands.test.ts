/** Commands that the real programs run in the background: their session is busy, and one that is ended is named. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BackgroundFinished } from '@roundhouse/backend-types'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { freshPath, Resumed } from './resumed'

const missing = await missingReason('claude')
/** Lasts until there is this file. */
const waits = (file: string) => `until [ -e ${file} ]; do sleep 0.2; done`
const backends = {
  claude: {
    runs: (cmd: string) => ({ tool: 'Bash', input: { command: cmd, description: cmd, run_in_background: true } }),
  },
  codex: { runs: (cmd: string) => ({ tool: 'exec_command', input: { cmd, yield_time_ms: 250 } }) },
} satisfies Record<RealBackend, { runs: (cmd: string) => object }>

const enders = ['a person', 'the end of its session', 'a kill of its host']

describe.skipIf(missing !== null).each(['claude', 'codex'] satisfies RealBackend[])(
  `[%s] commands in the background${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    const { runs } = backends[kind]
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind, idleMs: 300 })
    })
    afterAll(() => rig.dispose())
    beforeEach(() => allowPrograms(4))

    function allowPrograms(runningSessions: number): void {
      const { agent } = rig.system
      const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
      agent.writePolicy({ ...policy, limits: { ...policy.limits, runningSessions } })
    }
    const startIn = async (session: Resumed, file: string) => {
      await session.turns(1)
      return until('the command to be in the list', async () => {
        const [task] = (await session.session()).background ?? []
        return task?.label.includes(path.basename(file)) && task
      })
    }
    const begun = async (file: string) => {
      const session = await Resumed.begin(rig, [runs(waits(file)), { text: 'It runs.' }])
      // It asks about a loop; Codex has its sandbox.
      if (kind === 'claude') await rig.allow(await rig.asked(session.sessionId))
      await startIn(session, file)
      return session
    }
    const endedIn = (session: Resumed) =>
      session
        .of('system')
        .filter(({ subtype }) => subtype === 'background_ended')
        .map(({ data }) => (data as { label: string }).label)

    const finishedIn = (session: Resumed) =>
      session
        .of('system')
        .filter(({ subtype }) => subtype === 'background_finished')
        .map(({ data }) => data as BackgroundFinished)

    it.runIf(wholeMatrix || kind === 'claude')(
      '[SES-6.1] [SES-6.6] [CMD-8] keep the program when its idle time is over, and when another session wants its place, until they are done',
      async () => {
        const file = freshPath(rig, 'done')
        const busy = await begun(file)
        const { pids } = busy
        const idle = await Resumed.begun(rig)
        await idle.isNow('resumable')
        allowPrograms(1)
        const next = await Resumed.begin(rig, [{ text: 'Mine now.' }])
        await until('the next one to wait for the place', async () => {
          const taken = (await next.session()).queue[0]?.waits
          return taken?.running === 1 && taken.limit === 1
        })
        expect(busy.pids).toEqual(pids)
        expect(next.of('turn_started')).toEqual([])

        writeFileSync(file, '')
        await next.turns(1)
        expect(endedIn(busy)).toEqual([])
        expect(await busy.isNow('resumable')).toMatchObject({ why: 'idle' })
        allowPrograms(4)
        expect(await busy.plays({ text: 'After all.' })).toMatchObject({ reason: 'completed' })
        expect(busy.starts).toEqual([false, true])
        // Claude Code tells its model of the end, in a turn that nobody asked for.
        await until('all accounts to agree', () =>
          rig.agree(busy.sessionId).then(
            () => true,
            () => false,
          ),
        )
      },
    )

    it.runIf(wholeMatrix || kind === 'codex')(
      '[SES-6] [RES-9] outlive a model call that fails, and the prompt behind it',
      async () => {
        allowPrograms(8)
        const file = freshPath(rig, 'server')
        const session = await begun(file)
        const { pids } = session
        expect(await session.plays({ error: 401, message: 'invalid x-api-key' })).toMatchObject({ reason: 'failed' })
        expect(await session.plays({ text: 'On it goes.' })).toMatchObject({ reason: 'completed' })
        expect(session.pids).toEqual(pids)
        expect(endedIn(session)).toEqual([])
        expect(session.of('system').filter(({ subtype }) => subtype === 'transcript_untold')).toEqual([])
        writeFileSync(file, '')
      },
    )

    it.runIf(wholeMatrix || kind === 'claude')(
      '[LOG-5.16] [LOG-5.17] [LOG-7] what one prints is live text, also behind its turn, and not in the log',
      async () => {
        const file = freshPath(rig, 'next')
        const prints = `for n in 1 2 3 4; do echo says-$n; ${waits(`${file}-$n`)}; done`
        const session = await Resumed.begin(rig, [runs(prints), { text: 'It runs.' }])
        if (kind === 'claude') await rig.allow(await rig.asked(session.sessionId))
        await startIn(session, file)
        const says = (words: string) =>
          until(`it to say ${words}`, async () => {
            const { openBlocks } = await rig.rest.snapshot(session.sessionId, 1)
            return openBlocks.some((block) => block.kind === 'tool_progress' && block.text.includes(words))
          })
        // Codex gives what came before a command was in the background to its model alone.
        if (kind === 'claude') await says('says-1')
        writeFileSync(`${file}-1`, '')
        await says('says-2\n')
        expect(await session.plays({ text: 'Meanwhile.' })).toMatchObject({ reason: 'completed' })
        await says('says-2\n')
        writeFileSync(`${file}-2`, '')
        await says('says-2\nsays-3\n')
        expect(session.of('tool_result').map(({ output }) => JSON.stringify(output))).not.toContainEqual(
          expect.stringContaining('says-3'),
        )
        await rig.rest.endProcess(session.sessionId)
        await until(
          'the text to go',
          async () => (await rig.rest.snapshot(session.sessionId, 1)).openBlocks.length === 0,
        )
        await rig.agree(session.sessionId)
      },
    )

    it.runIf(wholeMatrix || kind === 'codex')(
      '[SES-6] how one ended is in the log: with its exit code and what it printed, or as stopped',
      async () => {
        const file = freshPath(rig, 'fails')
        const fails = `echo first; ${waits(file)}; echo last; exit 3`
        const session = await Resumed.begin(rig, [runs(fails), { text: 'It runs.' }])
        if (kind === 'claude') await rig.allow(await rig.asked(session.sessionId))
        const { callId } = await startIn(session, file)
        expect(session.of('tool_result').find((result) => result.callId === callId)).toMatchObject({ background: true })
        writeFileSync(file, '')
        const [failed] = await until(
          'its end to be told',
          () => finishedIn(session).length === 1 && finishedIn(session),
        )
        expect(failed).toMatchObject({ callId, kind: 'command', outcome: 'failed', exitCode: 3 })
        // Claude Code may have added a line of its own.
        expect(failed?.output).toMatch(/^first\nlast\n/)

        const never = freshPath(rig, 'stopped')
        const stopped = await begun(never)
        const [task] = (await stopped.session()).background ?? []
        await rig.rest.stopTask(stopped.sessionId, task?.taskId ?? '')
        await until('it to be stopped', () => endedIn(stopped).length === 1)
        expect(finishedIn(stopped)).toMatchObject([{ callId: task?.callId, outcome: 'stopped' }])
        await rig.agree(stopped.sessionId)
      },
    )

    it.each(wholeMatrix ? enders : kind === 'claude' ? [] : enders.slice(-1))(
      '[SES-6] [LOG-7.22] one that %s ends is named in the log',
      async (who) => {
        const file = freshPath(rig, 'never')
        const session = await begun(file)
        if (who === 'a person') await rig.rest.endProcess(session.sessionId)
        else if (who === 'the end of its session') await rig.rest.stop(session.sessionId)
        else await session.killHost()
        await until('it to be named', () => endedIn(session).length > 0)
        expect(endedIn(session)).toEqual([expect.stringContaining(path.basename(file))])
        await until('the list to be empty', async () => ((await session.session()).background ?? []).length === 0)
        await rig.agree(session.sessionId)
      },
    )
  },
)
