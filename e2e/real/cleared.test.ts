/** A conversation that the program itself began anew: what the next start goes on with, by what the model was asked. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { isRunning, killThoseThatAreLeft } from '../support/processes/processes'
import { type Rig, startRig } from '../support/rigs/rig'
import { variationsUnless } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { askedWith, Resumed } from './resumed'

const missing = await missingReason('claude')
const clears = { claude: '/clear', codex: '/new' } as const

variationsUnless(missing !== null).each(['claude', 'codex'] satisfies RealBackend[])(
  `[%s] a conversation that was cleared${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    const clear = clears[kind]
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind })
    })
    afterAll(() => rig.dispose())

    /** A command of the program, as a person types it. */
    let typed = 0
    const types = async (session: Resumed, text: string) =>
      session.endOf(await rig.rest.prompt(session.sessionId, { promptId: `typed-${++typed}`, text }))
    const told = (session: Resumed) => session.of('system').map(({ subtype }) => subtype)

    it(`[LOG-4] [RES-2] after ${clear}, three turns and a kill of everything the model gets the three and nothing before`, async () => {
      const session = await Resumed.begun(rig, {}, 'The blue door.')
      await types(session, clear)
      const three = ['The red roof.', 'The green gate.', 'The white wall.']
      for (const text of three) await session.plays({ text })
      await rig.system.agent.kill()
      session.killHostAndGuard()
      killThoseThatAreLeft(session.programs)
      await rig.system.agent.start()
      expect(await session.plays({ text: 'After all.' })).toMatchObject({ reason: 'completed' })

      const asked = askedWith(rig, 'After all.').at(-1) ?? ''
      const known = ['The blue door.', ...three].filter((text) => asked.includes(text))
      expect(known).toEqual(three)
      expect(session.starts).toEqual([false, false, true])
      expect(session.conversations).toHaveLength(2)
      expect((await session.session()).backendSessionId).toBe(session.conversations[1])
      expect(told(session)).toContain('conversation_cleared')
      expect(session.texts).toEqual(['The blue door.', ...three, 'After all.'])
      await rig.agree(session.sessionId)
    })

    it.runIf(wholeMatrix || kind === 'codex')(
      `[RES-2] a program that ends right behind ${clear} goes on in a conversation of its own, which holds nothing yet`,
      async () => {
        const session = await Resumed.begun(rig, {}, 'The blue door.')
        await types(session, clear)
        await rig.rest.endProcess(session.sessionId)
        await until('the program to end', () => session.clis.length === 0)
        expect(await session.plays({ text: 'The red roof.' })).toMatchObject({ reason: 'completed' })
        const asked = askedWith(rig, 'The red roof.').at(-1) ?? ''
        expect(asked.includes('The blue door.')).toBe(false)
        await session.killHost()
        expect(await session.plays({ text: 'After all.' })).toMatchObject({ reason: 'completed' })
        expect(askedWith(rig, 'After all.').at(-1)?.includes('The red roof.')).toBe(true)
        expect(session.texts).toEqual(['The blue door.', 'The red roof.', 'After all.'])
        await rig.agree(session.sessionId)
      },
    )

    it.runIf(wholeMatrix || kind === 'claude')(
      `[RES-6] what a program says to nobody after ${clear} is taken from the new conversation`,
      async () => {
        const session = await Resumed.begun(rig, {}, 'The blue door.')
        await types(session, clear)
        await session.plays({ text: 'The red roof.' })
        const words = Array.from({ length: 40 }, (_, i) => `step${i}`).join(' ')
        const asked = askedWith(rig, 'step39').length
        await rig.prompt(session.sessionId, [{ text: words, chunk: 12, delayMs: 30 }])
        await until('the model', () => askedWith(rig, 'step39').length > asked)
        const before = session.programs
        await rig.system.agent.kill()
        session.killHostAndGuard()
        await until('it to have finished', () => !before.some(isRunning))
        await rig.system.agent.start()
        await session.turns(4)
        const [door, roof, ...rest] = session.texts
        expect([door, roof]).toEqual(['The blue door.', 'The red roof.'])
        if (kind === 'claude') {
          expect(rest).toEqual([words])
          expect(session.of('assistant_text').at(-1)).toMatchObject({ recovered: true })
        } else {
          // It ends with its host: what was heard of it is all there is.
          expect(words.startsWith(rest.join(''))).toBe(true)
        }
      },
    )

    it.runIf(wholeMatrix || kind === 'claude')(
      '[LOG-4.6] a compaction is told with its tokens, and loses nothing at a resume',
      async () => {
        const session = await Resumed.begun(rig, {}, 'The blue door.')
        await types(session, '/compact')
        await session.plays({ text: 'The red roof.' })
        await session.killHost()
        await session.plays({ text: 'After all.' })
        const [compacted] = session.of('system').filter(({ subtype }) => subtype === 'conversation_compacted')
        expect(compacted?.data).toEqual({
          tokensBefore: expect.any(Number),
          tokensAfter: expect.any(Number),
          ...(kind === 'claude' ? { byItself: false } : {}),
        })
        expect(askedWith(rig, 'After all.').at(-1)?.includes('The red roof.')).toBe(true)
        expect([session.starts, session.conversations.length]).toEqual([[false, true], 1])
      },
    )
  },
)
