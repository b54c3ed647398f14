/**
 * What a program or its model says is more, longer or another number than our own events and accounts may hold: the session
 * goes on, people see what is asked, and every turn ends.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const eventsIn = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
const kindsIn = (sessionId: string) => eventsIn(sessionId).map(({ kind }) => kind)
const sessionOf = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).session
const openOf = async (sessionId: string) =>
  (await sessionOf(sessionId)).requests.filter(({ decision, outcome }) => !decision && outcome === 'open')

describe('201 questions that are open at once', () => {
  it('[PERM-1] [PERM-6] [CMD-5] can be answered in any order, and the turn is ended by a person', async () => {
    const tools = Array.from({ length: 201 }, (_, n) => ({
      name: 'Write',
      input: { file_path: `many-${n}.txt`, content: 'x' },
      ask: true,
    }))
    const sessionId = await rig.begin([{ tools }, { text: 'Over.' }])
    const open = await until('the questions', async () => {
      const found = await openOf(sessionId)
      return found.length >= 200 && found
    })
    const listed = async () => (await rig.rest.sessions({ limit: 50 })).items.find((row) => row.sessionId === sessionId)
    await until('the one without room to be counted', async () => (await sessionOf(sessionId)).moreRequests === 1)
    expect(await listed()).toMatchObject({ pendingRequests: 201 })
    const host = rig.system.agent.hostPid(sessionId)
    const last = open.at(-1)
    if (!last) throw new Error('no question')
    await rig.allow(last.ask)
    await until('the answer to be applied', async () => {
      const { requests } = await sessionOf(sessionId)
      return requests.every(({ ask, outcome }) => ask.requestId !== last.ask.requestId || outcome === 'applied')
    })
    await until('the question that had no room', async () => {
      const found = (await openOf(sessionId)).map(({ ask }) => JSON.stringify(ask.input))
      return found.some((input) => input.includes('many-200.txt'))
    })
    expect((await sessionOf(sessionId)).moreRequests).toBeUndefined()

    const { turnId } = await sessionOf(sessionId)
    await rig.rest.interrupt(sessionId, turnId ?? '')
    await until('the turn to end', async () => (await sessionOf(sessionId)).turnId === undefined)
    expect(await openOf(sessionId)).toEqual([])
    expect(rig.system.agent.hostPid(sessionId)).toBe(host)
    expect(rig.system.agent.output).not.toContain('its session host died')
  })
})

describe('a question whose reason is 300 KB long', () => {
  it('[PERM-6.5] [PERM-7] is asked, says how much of it is missing, and can be answered', async () => {
    const made = path.join(rig.system.workDir, 'made.txt')
    const step = { tool: 'Write', input: { file_path: made, content: 'x' }, ask: 'r'.repeat(300_000) }
    const sessionId = await rig.begin([step, { text: 'Over.' }])
    const ask = await rig.asked(sessionId)
    expect(ask.reason).toMatch(/^r+… \[300,000 characters, cut here\]$/)
    await rig.allow(ask)
    await until('the file', () => existsSync(made))
    await rig.agree(sessionId)
    const told = kindsIn(sessionId).filter((kind) => kind.startsWith('permission_'))
    expect(told).toEqual(['permission_requested', 'permission_resolved'])
  })
})

describe('a turn whose figures are none', () => {
  it('[LOG-7] ends in the log, without them', async () => {
    const usage = { input_tokens: 1e300, output_tokens: -5 }
    const sessionId = await rig.begin([{ text: 'Here.', usage }])
    await rig.agree(sessionId)
    await rig.prompt(sessionId, [{ text: 'Again.' }])
    await until('the second turn', async () => (await sessionOf(sessionId)).lastLine === 'Again.')
    await rig.agree(sessionId)
    const turns = kindsIn(sessionId).filter((kind) => kind.startsWith('turn_'))
    expect(turns).toEqual(['turn_started', 'turn_completed', 'turn_started', 'turn_completed'])
  })
})
