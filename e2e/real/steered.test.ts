/** A prompt for the running turn is in the transcript once the program has begun with it, and nowhere lost before. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { askedWith, Resumed } from './resumed'

const missing = await missingReason('claude')
const speaking = { text: 'word '.repeat(55), chunk: 5, delayMs: 50 }
const running = {
  claude: { text: 'Works.', tool: 'Bash', input: { command: 'sleep 2' } },
  codex: { text: 'Works.', tool: 'exec_command', input: { cmd: 'sleep 2', yield_time_ms: 5_000 } },
} satisfies Record<RealBackend, object>

describe.skipIf(missing !== null).each(['claude', 'codex'] satisfies RealBackend[])(
  `[%s] a prompt for the running turn${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind, idleMs: 60_000 })
    })
    afterAll(() => rig.dispose())

    let count = 0
    async function speaks(steps: object[]): Promise<Resumed> {
      const session = await Resumed.begin(rig, steps)
      await until('it to speak', async () => {
        const { openBlocks } = await rig.rest.snapshot(session.sessionId, 1)
        return openBlocks.length > 0 || session.of('tool_use').length > 0
      })
      return session
    }

    async function steer(session: Resumed, ...steps: object[]) {
      const text = `Mind step ${++count}.${steps.length === 0 ? '' : ` ${scriptOf(steps)}`}`
      const { commandId } = await rig.rest.prompt(session.sessionId, { promptId: `s_${count}`, text, steer: true })
      const command = async () => (await session.session()).commands.find((one) => one.commandId === commandId)
      await until('the machine to have it', async () => !['pending', 'sent'].includes((await command())?.state ?? ''))
      return { text, command, told: () => session.of('user_message').filter((event) => event.text === text) }
    }

    /** Texts, results and what a person said, each as one word. */
    const story = (session: Resumed) =>
      session.events.flatMap((event) => {
        if (event.kind === 'user_message') return event.steer ? 'steer' : 'prompt'
        if (event.kind === 'assistant_text') return event.partial ? 'cut' : String(event.text)
        if (event.kind === 'system') return event.subtype === 'transcript_untold' ? 'untold' : []
        return event.kind === 'tool_result' ? 'result' : []
      })

    /** Also the next prompt, before which the log is compared with the program's record. */
    async function staysOne(session: Resumed): Promise<void> {
      expect(await session.plays({ text: 'Next.' })).toMatchObject({ reason: 'completed' })
      expect([story(session).slice(-2), story(session).includes('untold')]).toEqual([['prompt', 'Next.'], false])
      expect(session.starts).toEqual([false])
    }

    const isOver = async (session: Resumed) => (await session.session()).turnId === undefined

    it.runIf(wholeMatrix || kind === 'codex')(
      '[CMD-5] is read behind the tool that runs, and told in that turn',
      async () => {
        const session = await speaks([running[kind], { text: 'Done.' }])
        const { text, told } = await steer(session)
        await until('it to be told', () => told().length > 0)
        expect(told()).toMatchObject([{ steer: true, turnId: session.of('turn_started')[0]?.turnId }])
        await until('the turn to be over', () => isOver(session))
        expect([session.of('turn_started').length, askedWith(rig, text).length > 0]).toEqual([1, true])
        expect(story(session)).toEqual(['prompt', 'Works.', 'result', 'steer', 'Done.'])
        await staysOne(session)
      },
    )

    it('[CMD-5.27] [LOG-5.23] stands before its answer, and behind what the program broke off for it', async () => {
      const session = await speaks([speaking])
      const { told } = await steer(session, { text: 'Minded.' })
      await until('it to be told', () => told().length > 0)
      await until('all turns to be over', () => isOver(session))
      const before = kind === 'codex' ? 'cut' : speaking.text
      expect(story(session)).toEqual(['prompt', before, 'steer', 'Minded.'])
      await staysOne(session)
    })

    it.runIf(kind === 'claude')('[CMD-5.27] stands there too where the answer is read together with it', async () => {
      const session = await speaks([{ ...speaking, text: 'word '.repeat(40) }])
      const projects = path.join(rig.system.around.env.CLAUDE_CONFIG_DIR ?? '', 'projects')
      const record = () => {
        const names = readdirSync(projects, { recursive: true, encoding: 'utf8' })
        const name = names.find((one) => one.endsWith(`${session.conversations[0]}.jsonl`)) ?? ''
        return readFileSync(path.join(projects, name), 'utf8')
      }
      await steer(session, { text: 'Minded.' })
      await until('the program to have it', () => record().split('"enqueue"').length > 2)
      const host = session.pids.hostPid ?? 0
      process.kill(host, 'SIGSTOP')
      await until('its answer', () => /"role":"assistant".*"text":"Minded\."/.test(record())).finally(() =>
        process.kill(host, 'SIGCONT'),
      )
      await until('it to be told', () => session.says('Minded.'))
      await until('all turns to be over', () => isOver(session))
      expect(story(session).slice(-2)).toEqual(['steer', 'Minded.'])
      await staysOne(session)
    })

    it.runIf(wholeMatrix || kind === 'codex')(
      '[CMD-5.16] reaches the model, also where the turn ends before the program begins with it',
      async () => {
        const session = await speaks([speaking])
        const { text, command, told } = await steer(session)
        await until('it to be told', () => told().length > 0)
        await until('all turns to be over', () => isOver(session))
        expect(told()).toMatchObject([{ steer: true }])
        expect([await command(), askedWith(rig, text).length > 0]).toEqual([undefined, true])
        const began = session.events.filter(({ kind: one }) => one === 'turn_started' || one === 'user_message')
        expect(began.at(-1)).toMatchObject({ text })
      },
    )

    it.runIf(wholeMatrix || kind === 'claude')(
      '[CMD-5.18] is lost to no stop: it waits in the held queue where the program had not begun with it',
      async () => {
        const session = await speaks([speaking])
        const { text, told } = await steer(session)
        await rig.rest.interrupt(session.sessionId, session.of('turn_started')[0]?.turnId ?? '')
        await session.turns(1)
        await rig.agree(session.sessionId)
        const { queue, queueHeld } = await session.session()
        // Codex takes it at once, and keeps it for the next turn.
        if (kind === 'codex') expect([queue, told().length]).toEqual([[], 1])
        else {
          expect([queue.map((entry) => entry.text), queueHeld, told(), askedWith(rig, text)]).toEqual([
            [text],
            true,
            [],
            [],
          ])
        }
        expect(await session.plays({ text: 'Next.' })).toMatchObject({ reason: 'completed' })
        expect([told().length, askedWith(rig, text).length > 0]).toEqual([1, true])
      },
    )

    it.runIf(wholeMatrix || kind === 'codex')(
      '[CMD-3] [CMD-5.19] is told as not taken where its program stands still and is killed',
      async () => {
        const session = await speaks([speaking])
        for (const { pid } of session.programs) process.kill(pid, 'SIGSTOP')
        const { command, told, text } = await steer(session)
        expect([(await command())?.state, told()]).toEqual(['accepted', []])
        await session.killProgram()
        await until('its end to be told', async () => (await command())?.state === 'refused')
        expect([await command(), told()]).toMatchObject([{ text, error: { code: 'BACKEND_CRASHED' } }, []])
      },
    )
  },
)
