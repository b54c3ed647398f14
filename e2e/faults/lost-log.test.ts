/** A machine whose disk does not hold what it promised: a log torn at its end, put back, or gone. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf, progressOf, readAll, tableOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

const IDLE_MS = 1_000
const START = ['--idle-ms', String(IDLE_MS)]
let rig: Rig

const folderOf = (sessionId: string) => rig.system.agent.sessionFolder(sessionId)
const walOf = (sessionId: string) => path.join(folderOf(sessionId), 'log.db-wal')
const stored = (sessionId: string) => eventsOf(tableOf(rig.system.hub.dataDir, sessionId))
const gapsOf = (sessionId: string) => stored(sessionId).filter(({ kind }) => kind === 'gap')
const textsOf = (sessionId: string) =>
  stored(sessionId).flatMap((event) => (event.kind === 'assistant_text' ? [String(event.text)] : []))
const conversations = (sessionId: string) =>
  new Set(stored(sessionId).flatMap((event) => (event.kind === 'session_started' ? [event.backendSessionId] : [])))

async function said(sessionId: string, text: string): Promise<void> {
  await until(`"${text}" at the hub`, () => textsOf(sessionId).includes(text))
  await rig.agree(sessionId)
}

const HEAD_BYTES = 32
const FRAME_BYTES = 24 + 4_096

/** Where the frame begins in which this text was written first. */
function frameOf(wal: string, text: string): number {
  const at = readFileSync(wal).indexOf(text)
  expect(at).toBeGreaterThan(0)
  return at - ((at - HEAD_BYTES) % FRAME_BYTES)
}

/** As in a power cut, except that what the page cache held is on the disk: the tests take from it what they want. */
async function powerCut(sessionId: string): Promise<void> {
  const { agent } = rig.system
  const host = agent.hostPid(sessionId)
  await agent.kill()
  agent.killHost(sessionId)
  await until('the host to be gone', () => host === undefined || !existsSync(`/proc/${host}`))
  await until('its guard to have ended the program', () => existsSync(path.join(folderOf(sessionId), 'guard.note')))
}

/** The hub has everything in order, what the log still has is the same there, and the person goes on in the conversation. */
async function goesOn(sessionId: string, said: string): Promise<void> {
  await rig.prompt(sessionId, [{ text: said }])
  await until('the answer, and the hub to have all of the log', async () => {
    const { head, inTurn } = progressOf(folderOf(sessionId))
    return textsOf(sessionId).includes(said) && !inTurn && (await rig.rest.snapshot(sessionId, 1)).head === head
  })
  const table = tableOf(rig.system.hub.dataDir, sessionId)
  const held = new Map(table.map((row) => [row.seq, row]))
  for (const row of logOf(folderOf(sessionId))) expect(held.get(row.seq)).toEqual(row)
  expect(table.map(({ seq }) => seq)).toEqual(table.map((_, index) => index + 1))
  expect((await readAll(rig.rest, sessionId)).map(({ seq }) => seq)).toEqual(table.map(({ seq }) => seq))
}

describe('a log torn at its end by a power cut', () => {
  beforeAll(async () => {
    rig = await startRig()
  })
  afterAll(() => rig.dispose())

  async function goesOnAfterCut(cut: (frame: number) => number): Promise<void> {
    const sessionId = await rig.begin([{ text: 'One.' }])
    await said(sessionId, 'One.')
    await rig.prompt(sessionId, [{ count: { to: 10, delayMs: 20, prefix: 'two' } }])
    await said(sessionId, 'two 10')
    const before = textsOf(sessionId)
    await powerCut(sessionId)
    const wal = walOf(sessionId)
    truncateSync(wal, cut(frameOf(wal, 'two 10')))
    await rig.system.agent.start()
    await until('the gap', () => gapsOf(sessionId).length > 0)
    await goesOn(sessionId, 'Three.')
    expect(gapsOf(sessionId)).toMatchObject([{ reason: 'rebase' }])
    expect(textsOf(sessionId)).toEqual([...before, 'Three.'])
    expect(conversations(sessionId).size).toBe(1)
  }

  it('[F19] [REB-1.14] [REB-1.4] in the frame of an event that the hub has: it goes on as another log behind one visible gap', () =>
    goesOnAfterCut((frame) => frame + 2_000))

  variation.each([
    ['first', (frame: number) => frame + 1],
    ['last', (frame: number) => frame + FRAME_BYTES - 1],
  ])('[F19] [REB-1.14] [REB-1.4] in that frame, at its %s byte', (_which, cut) => goesOnAfterCut(cut))

  variation('[F19] of which nobody was told: no gap, and what the program kept of it is found again', async () => {
    const sessionId = await rig.begin([{ text: 'One.' }])
    await said(sessionId, 'One.')
    await rig.prompt(sessionId, [{ count: { to: 200, delayMs: 20, prefix: 'two' } }])
    await until('the turn to go on', () => textsOf(sessionId).length > 5)
    await rig.system.agent.kill()
    const told = logOf(folderOf(sessionId)).length
    await until('the host to write on alone', () => logOf(folderOf(sessionId)).length > told + 10)
    await powerCut(sessionId)
    const wal = walOf(sessionId)
    truncateSync(wal, statSync(wal).size - 2_000)
    await rig.system.agent.start()
    await rig.agree(sessionId)
    expect(gapsOf(sessionId)).toEqual([])
    await rig.prompt(sessionId, [{ text: 'Three.' }])
    await said(sessionId, 'Three.')
    expect(conversations(sessionId).size).toBe(1)
  })
})

describe('a log that is deleted', () => {
  beforeAll(async () => {
    rig = await startRig({ idleMs: IDLE_MS })
  })
  afterAll(() => rig.dispose())

  describe('under its live host', () => {
    const promptsOf = async (sessionId: string) =>
      (await rig.rest.snapshot(sessionId, 1)).session.commands.filter(({ kind }) => kind === 'prompt.send')
    const asked = (sessionId: string, text: string) =>
      stored(sessionId).filter((event) => event.kind === 'user_message' && JSON.stringify(event).includes(text)).length

    /**
     * Whatever becomes of the log, what a person sent is in the transcript or shown beside it, at every moment. Behind the gap
     * it was answered once, or stays shown as of unknown outcome.
     */
    async function isNeverLost(sessionId: string, text: string): Promise<void> {
      await rig.prompt(sessionId, [{ text }])
      let timesNowhere = 0
      const fate = await until('the gap, and what became of the prompt', async () => {
        // In this order: what is in the transcript by then is no more among the commands.
        const command = (await promptsOf(sessionId)).find((one) => JSON.stringify(one).includes(text))
        if (!command && asked(sessionId, text) === 0) timesNowhere += 1
        if (gapsOf(sessionId).length === 0) return null
        return textsOf(sessionId).includes(text) ? 'answered' : command?.state === 'outcome_unknown' && command.state
      })
      expect(timesNowhere).toBe(0)
      expect(gapsOf(sessionId)).toMatchObject([{ reason: 'rebase' }])
      const times = fate === 'answered' ? 1 : 0
      expect(asked(sessionId, text)).toBe(times)
      expect(textsOf(sessionId).filter((one) => one === text)).toHaveLength(times)
      await goesOn(sessionId, 'The end.')
    }

    it('[REB-1] [CMD-2] in the middle of a turn: a prompt is never done in silence, and the next one is answered', async () => {
      const sessionId = await rig.begin([{ count: { to: 300, delayMs: 20 } }])
      await until('its first lines', () => textsOf(sessionId).length > 5)
      rmSync(path.join(folderOf(sessionId), 'log.db'))
      await isNeverLost(sessionId, 'Two.')
    })

    variation('[REB-1] [CMD-2] at rest: a prompt is never done in silence, and the next one is answered', async () => {
      const sessionId = await rig.begin([{ text: 'One.' }])
      await said(sessionId, 'One.')
      rmSync(path.join(folderOf(sessionId), 'log.db'))
      await isNeverLost(sessionId, 'Two.')
    })

    variation(
      '[REB-1] [CMD-2] while no daemon runs: a prompt is never done in silence, and the next one is answered',
      async () => {
        const sessionId = await rig.begin([
          { text: 'One.' },
          { tool: 'Write', input: { file_path: 'a.txt', content: 'a' } },
        ])
        await rig.asked(sessionId)
        await rig.system.agent.kill()
        rmSync(path.join(folderOf(sessionId), 'log.db'))
        await rig.system.agent.start(START)
        await isNeverLost(sessionId, 'Two.')
      },
    )
  })

  describe('while its session sleeps', () => {
    it('[F21] is another log for hub and agent: one gap, what the hub has stays readable, and the conversation goes on', async () => {
      const sessionId = await rig.begin([{ text: 'One.' }])
      await said(sessionId, 'One.')
      await until('the session to sleep', () => !existsSync(path.join(folderOf(sessionId), 'host.json')))
      await until(
        'the hub to have its end',
        () => tableOf(rig.system.hub.dataDir, sessionId).length === logOf(folderOf(sessionId)).length,
      )
      const before = tableOf(rig.system.hub.dataDir, sessionId)
      await rig.system.agent.kill()
      for (const file of readdirSync(folderOf(sessionId)).filter((name) => name.startsWith('log.db')))
        rmSync(path.join(folderOf(sessionId), file))
      await rig.system.agent.start()
      await until('the gap', () => gapsOf(sessionId).length > 0)
      const after = tableOf(rig.system.hub.dataDir, sessionId)
      expect(after.slice(0, before.length)).toEqual(before)
      expect(eventsOf(after.slice(before.length))).toEqual([
        { kind: 'gap', from: before.length + 1, to: before.length + 1, reason: 'rebase' },
      ])
      expect((await readAll(rig.rest, sessionId)).map(({ seq }) => seq)).toEqual(after.map(({ seq }) => seq))
      await goesOn(sessionId, 'Two.')
      expect(conversations(sessionId).size).toBe(1)
      // The others are untouched by it.
      await said(await rig.begin([{ text: 'Another session.' }]), 'Another session.')
    })
  })
})
