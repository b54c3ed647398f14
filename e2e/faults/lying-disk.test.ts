/**
 * A disk that forgets what it had promised to hold, after it was told to the hub: whatever the log lost, each turn has one
 * end at the hub, each request one outcome, and each text is there once.
 */
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, progressOf, tableOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { logFile } from '../support/damage/damage'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

let rig: Rig
// Each test has a session of its own; the last one takes the index away.
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const folderOf = (sessionId: string) => rig.system.agent.sessionFolder(sessionId)
const walOf = (sessionId: string) => `${logFile(folderOf(sessionId))}-wal`
const stored = (sessionId: string) => eventsOf(tableOf(rig.system.hub.dataDir, sessionId))
const textsOf = (sessionId: string) =>
  stored(sessionId).flatMap((event) => (event.kind === 'assistant_text' ? [String(event.text)] : []))
const has = (sessionId: string, kind: string, count = 1) =>
  until(`${count} ${kind} at the hub`, () => stored(sessionId).filter((event) => event.kind === kind).length >= count)

/** How often each turn ended, and each request was resolved, in the order in which they began. */
function endsOf(sessionId: string): { turns: number[]; requests: number[] } {
  const events = stored(sessionId)
  const turns = events.flatMap((event) => (event.kind === 'turn_started' ? [event.turnId] : []))
  const requests = events.flatMap((event) => (event.kind === 'permission_requested' ? [event.ask.requestId] : []))
  return {
    turns: turns.map((id) => events.filter((event) => event.kind === 'turn_completed' && event.turnId === id).length),
    requests: requests.map(
      (id) => events.filter((event) => event.kind === 'permission_resolved' && event.requestId === id).length,
    ),
  }
}

const HEAD_BYTES = 32
const FRAME_BYTES = 24 + 4_096

/** The side file ends before the frame in which this was written first. */
function tearBefore(sessionId: string, text: string): void {
  const wal = walOf(sessionId)
  const at = readFileSync(wal).indexOf(text)
  expect(at).toBeGreaterThan(0)
  truncateSync(wal, at - ((at - HEAD_BYTES) % FRAME_BYTES) + 100)
}

async function powerCut(sessionId: string): Promise<void> {
  const { agent } = rig.system
  const host = agent.hostPid(sessionId)
  await agent.kill()
  agent.killHost(sessionId)
  await until('the host to be gone', () => host === undefined || !existsSync(`/proc/${host}`))
  await until('its guard to have ended the program', () => existsSync(path.join(folderOf(sessionId), 'guard.note')))
}

async function goesOn(sessionId: string): Promise<void> {
  await rig.system.agent.start()
  await until('the gap', () => stored(sessionId).some(({ kind }) => kind === 'gap'))
  await rig.prompt(sessionId, [{ text: 'Here again.' }])
  await until('the answer, and the hub to have all of the log', async () => {
    const { head, inTurn } = progressOf(folderOf(sessionId))
    return (
      textsOf(sessionId).includes('Here again.') && !inTurn && (await rig.rest.snapshot(sessionId, 1)).head === head
    )
  })
}

type LostLog = [when: string, steps: object[], kind: string, n: number]
const ten = Array.from({ length: 10 }, (_, n) => `line ${n + 1}`)

describe('a disk that lies', () => {
  it('[F19] [LOG-7] [REB-1.28] loses the end of a turn that the hub has: it does not end twice', async () => {
    const sessionId = await rig.begin([{ count: { to: 10 } }])
    await has(sessionId, 'turn_completed')
    await powerCut(sessionId)
    tearBefore(sessionId, '"kind":"turn_completed"')
    await goesOn(sessionId)
    expect(endsOf(sessionId)).toEqual({ turns: [1, 1], requests: [] })
    expect(textsOf(sessionId)).toEqual([...ten, 'Here again.'])
  })

  variation(
    '[F19] [PERM-1] [REB-1.28] loses the outcome of a request that the hub has: it has no second one',
    async () => {
      const write = { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }
      const sessionId = await rig.begin([write, { text: 'Written.' }, { text: 'It hangs.', hang: true }])
      await rig.allow(await rig.asked(sessionId))
      await until('what comes after', () => textsOf(sessionId).includes('Written.'))
      await powerCut(sessionId)
      tearBefore(sessionId, '"kind":"permission_resolved"')
      await goesOn(sessionId)
      expect(endsOf(sessionId)).toEqual({ turns: [1, 1], requests: [1] })
      expect(textsOf(sessionId).filter((text) => text === 'Written.')).toHaveLength(1)
    },
  )

  const afterTheEnd: LostLog = ['after the end of a turn', [{ count: { to: 10 } }], 'turn_completed', 1]
  variation.each<LostLog>([
    ['in the middle of a turn', [{ count: { to: 10 } }, { text: 'It hangs.', hang: true }], 'assistant_text', 10],
    afterTheEnd,
  ])(
    '[F19] [F21] [LOG-7.1] loses all of the log but its beginning, %s: each turn ends once',
    async (_when, steps, kind, n) => {
      const sessionId = await rig.begin(steps)
      await has(sessionId, kind, n)
      await powerCut(sessionId)
      rmSync(walOf(sessionId))
      await goesOn(sessionId)
      expect(endsOf(sessionId)).toEqual({ turns: [1, 1], requests: [] })
      expect(textsOf(sessionId).filter((text) => ten.includes(text))).toEqual(ten)
    },
  )

  it('[F19] [REB-1.31] loses the end of the log and all of the index: what the hub may have is not told twice', async () => {
    const sessionId = await rig.begin([{ count: { to: 10 } }])
    await has(sessionId, 'turn_completed')
    await powerCut(sessionId)
    tearBefore(sessionId, 'line 8')
    const state = path.join(rig.system.agent.home, 'state')
    for (const name of readdirSync(state).filter((file) => file.startsWith('index.db'))) rmSync(path.join(state, name))
    await goesOn(sessionId)
    expect(endsOf(sessionId)).toEqual({ turns: [1, 1], requests: [] })
    expect(textsOf(sessionId)).toEqual([...ten, 'Here again.'])
  })
})
