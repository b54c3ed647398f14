/** Data that was put back to an older state: the hub's file, what people had decided since, and a machine's disk. */
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { openViewer } from '../support/accounts/viewer'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const files = ['hub.db', 'hub.db-wal', 'hub.db-shm']

/** The hub's data as it is on the disk now. Stop it before. */
function backUp(): () => void {
  const folder = freshFolder('backup')
  const { dataDir } = rig.system.hub
  const copy = (from: string, to: string) => {
    for (const file of files) {
      rmSync(path.join(to, file), { force: true })
      if (existsSync(path.join(from, file))) cpSync(path.join(from, file), path.join(to, file))
    }
  }
  copy(dataDir, folder)
  return () => copy(folder, dataDir)
}

async function withHubDown<T>(work: () => T): Promise<T> {
  await rig.system.hub.stop()
  const result = work()
  await rig.system.hub.start()
  return result
}

const epoch = async (sessionId: string) => (await rig.rest.snapshot(sessionId, 1)).hubEpoch

describe('a hub that was put back to yesterday', () => {
  it('[F22] [REB-2] [T87] notices it, changes its epoch, and is filled again from the logs of its agents', async () => {
    const sessionId = await rig.begin([{ count: { to: 20, delayMs: 1 } }])
    await rig.agree(sessionId)
    const putBack = await withHubDown(backUp)
    const before = await epoch(sessionId)
    await rig.prompt(sessionId, [{ count: { to: 50, delayMs: 1, prefix: 'later' } }])
    const rows = await rig.agree(sessionId)
    await withHubDown(putBack)
    await until('the epoch to change', async () => (await epoch(sessionId)) !== before)
    expect(await rig.agree(sessionId)).toEqual(rows)
    await rig.prompt(sessionId, [{ text: 'And on.' }])
    await rig.agree(sessionId)
  })

  it('[F22] [STORE-6.11] beside the WAL of a hub that was killed is not mixed with it: the hub says what to move away, and starts then', async () => {
    const { hub } = rig.system
    const sessionId = await rig.begin([{ text: 'Old.' }])
    await rig.agree(sessionId)
    const [file, wal, shm] = files.map((name) => path.join(hub.dataDir, name)) as [string, string, string]
    const backup = path.join(freshFolder('backup'), 'hub.db')
    const live = new Database(file, { readonly: true })
    live.exec(`VACUUM INTO '${backup}'`) // as docs/backup.md says
    live.close()
    await withHubDown(() => {})
    await rig.prompt(sessionId, [{ count: { to: 20, prefix: 'later' } }])
    const rows = await rig.agree(sessionId)
    await hub.kill()
    cpSync(backup, file)
    expect(existsSync(wal)).toBe(true)
    expect(await hub.refusal()).toContain(`Move ${wal} and ${shm} away`)
    for (const side of [wal, shm]) rmSync(side, { force: true })
    await hub.start()
    expect(await rig.agree(sessionId)).toEqual(rows)
  })

  variation(
    '[F22] [VIEW-6] is felt by a page on a newer session for as long as the machine is away, and no longer',
    async () => {
      await rig.agree(await rig.begin([{ text: 'Old.' }]))
      const putBack = await withHubDown(backUp)
      const sessionId = await rig.begin([{ text: 'New.' }])
      const rows = await rig.agree(sessionId)
      const page = await openViewer(rig.system.hub, sessionId)
      try {
        await page.reaches(rows.length)
        await rig.system.agent.stop()
        await withHubDown(putBack)
        await until('the page to say that it is gone', () => page.refusal()?.code === 'SESSION_NOT_FOUND')
        await rig.system.agent.start()
        await until('the page to show it again', () => page.refusal() === null)
        const all = await rig.agree(sessionId)
        await page.reaches(all.length)
        expect(page.shown().map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq))
      } finally {
        page.close()
      }
    },
  )

  it('[F22] [PERM-2] shows a decided request as open again for a moment, and it is not applied twice', async () => {
    const sessionId = await rig.begin([
      { tool: 'Write', input: { file_path: 'a.txt', content: 'x' } },
      { text: 'Done.' },
    ])
    const ask = await rig.asked(sessionId)
    const putBack = await withHubDown(backUp)
    await rig.allow(ask)
    await rig.agree(sessionId)
    await withHubDown(putBack)
    await rig.rest.decide(ask.requestId, { decision: 'deny', digest: ask.digest }).catch(() => {})
    await rig.agree(sessionId)
    const resolved = eventsOf(logOf(rig.system.agent.sessionFolder(sessionId))).filter(
      ({ kind }) => kind === 'permission_resolved',
    )
    expect(resolved).toMatchObject([{ decision: 'allow', outcome: 'applied' }])
    // The second answer stays, with the outcome of the first beside it. The machine tells its end beside the log.
    const shown = async () => (await rig.rest.snapshot(sessionId)).session.requests
    await until('the second answer to end', async () => (await shown())[0]?.decision?.commandState !== 'accepted')
    const requests = await shown()
    expect(requests).toMatchObject([{ decision: { answer: 'deny', commandState: 'refused' }, outcome: 'applied' }])
  })
})

describe('a machine whose disk was put back to yesterday', () => {
  it('[T59] [JOIN-4] [LINK-4.11] waits for a person, and is back within seconds of their word', async () => {
    const { agent } = rig.system
    const machine = async () => (await rig.rest.agents()).items[0]
    await agent.stop()
    const yesterday = freshFolder('yesterday')
    cpSync(agent.home, yesterday, { recursive: true })
    await agent.start()
    await agent.stop()
    rmSync(agent.home, { recursive: true, force: true })
    cpSync(yesterday, agent.home, { recursive: true })
    agent.launch()
    await until('the hub to ask a person about it', async () => (await machine())?.clonedAt)
    // It has been told no, and waits for its next attempt.
    const told = /a restored disk, has connected.*next attempt in ([\d.]+) s/
    await until('the agent to say so', () => told.test(agent.output))
    // Its pause and one handshake are all that stands between a person's word and its return.
    expect(Number(told.exec(agent.output)?.[1])).toBeLessThanOrEqual(3)
    await rig.rest.acceptRestoredAgent((await machine())?.agentId ?? '')
    await until('the machine to be back', async () => (await machine())?.online, 10_000)
    const sessionId = await rig.begin([{ text: 'And on.' }])
    await rig.agree(sessionId)
  })
})

// The last one: from here on the machine keeps nothing of a log that the hub has.
describe('a hub that was put back to yesterday, and a machine that prunes', () => {
  it('[F22] [REB-2.8] [REB-2.6] [REB-3] opens a session whose beginning is nowhere any more, with what its machine knows of it, and goes on', async () => {
    const { agent, hub } = rig.system
    await rig.agree(await rig.begin([{ text: 'Old.' }]))
    const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
    agent.writePolicy({ ...policy, limits: { keepSessionBytes: 0 } })
    const putBack = await withHubDown(backUp)
    const sessionId = await rig.begin([{ count: { to: 20, delayMs: 1 }, cost: 0.25 }], {
      model: 'scripted-small',
      mode: 'plan',
    })
    const first = () => Number(logOf(agent.sessionFolder(sessionId))[0]?.seq)
    const now = async () => (await rig.rest.snapshot(sessionId).catch(() => null))?.session
    await until('its turn to be over, at the hub too', async () => Number((await now())?.cost) > 0)
    await until('its beginning to be pruned', () => first() > 10)
    const { session: before } = await rig.rest.snapshot(sessionId)
    await withHubDown(putBack)
    const after = await until('the session to open', now)
    expect(after).toMatchObject({ settings: before.settings, realWorkDir: before.realWorkDir, cost: before.cost })
    expect(after).toMatchObject({ backendSessionId: before.backendSessionId, lastLine: before.lastLine })
    const listed = (await rig.rest.sessions({})).items.find((row) => row.sessionId === sessionId)
    expect(listed).toMatchObject({ backend: 'scripted', workDir: before.realWorkDir })
    const page = await openViewer(hub, sessionId)
    try {
      await rig.prompt(sessionId, [{ text: 'And on.' }])
      await until('its answer', () =>
        page.shown().some(({ event }) => event?.kind === 'assistant_text' && event.text === 'And on.'),
      )
    } finally {
      page.close()
    }
  })
})
