/**
 * The hub's disk is full, or fails, or another program keeps its database locked, or its file was moved: a state that is told
 * and that ends by itself. Nothing is lost, nothing is shown as done that is not. On a real file system without room, and on one whose writes fail.
 */
import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it, type TestContext } from 'vitest'
import { progressOf } from '../support/accounts/ledger'
import { openViewer } from '../support/accounts/viewer'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { failingDisk, smallDisk } from '../support/damage/failing-disk'
import { HubProcess } from '../support/processes/hub-process'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { RawWeb } from '../support/wire/raw-web'

const closing: Array<() => Promise<void> | void> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface BadDisk {
  rig: Rig
  /** Which word the hub has for it. */
  state: 'full' | 'failing' | 'locked' | 'moved'
  begins(): unknown
  ends(): unknown
}

async function full(context: TestContext): Promise<BadDisk> {
  const disk = smallDisk(24)
  if (typeof disk === 'string') return context.skip(disk)
  closing.push(() => disk.close())
  const hubData = path.join(disk.folder, 'hub')
  mkdirSync(hubData)
  const rig = await startRig({ hubData })
  closing.push(
    () => disk.free(),
    () => rig.dispose(),
  )
  return { rig, state: 'full', begins: () => disk.fill(), ends: () => disk.free() }
}

async function failing(context: TestContext): Promise<BadDisk> {
  const hubData = freshFolder('hub')
  const disk = failingDisk(hubData)
  if (typeof disk === 'string') return context.skip(disk)
  closing.push(() => disk.close())
  const rig = await startRig({ hubData, hubEnv: disk.env })
  closing.push(() => rig.dispose())
  return { rig, state: 'failing', begins: () => disk.fails(), ends: () => disk.heals() }
}

/** As a person does who begins a change in the `sqlite3` program and goes for a coffee. */
async function locked(): Promise<BadDisk> {
  const rig = await startRig()
  const other = new Database(path.join(rig.system.hub.dataDir, 'hub.db'), { timeout: 20_000 })
  closing.push(
    () => rig.dispose(),
    () => void other.close(),
  )
  return { rig, state: 'locked', begins: () => other.exec('BEGIN IMMEDIATE'), ends: () => other.exec('ROLLBACK') }
}

/** As somebody does who puts a backup back and forgets that the hub runs. */
async function replaced(): Promise<BadDisk> {
  const rig = await startRig()
  closing.push(() => rig.dispose())
  const file = path.join(rig.system.hub.dataDir, 'hub.db')
  return {
    rig,
    state: 'moved',
    begins() {
      copyFileSync(file, `${file}.copy`)
      linkSync(file, `${file}.own`)
      renameSync(`${file}.copy`, file)
    },
    ends: () => renameSync(`${file}.own`, file),
  }
}

/** `outside-disks-hub` plays a full disk, `locked-hub` a locked file; one that is removed comes below. */
const inMatrix = [
  ['full', full],
  ['locked by another program', locked],
  ['replaced by another file', replaced],
] as const

describe.each([['failing', failing], ...(wholeMatrix ? inMatrix : [])] as const)(
  'the storage of the hub is %s',
  (_what, make) => {
    it('[F17] [T89] is told once, takes nothing that it cannot keep, loses nothing, and goes on by itself', async (context) => {
      const disk = await make(context)
      const { rig, state } = disk
      const { rest, client } = rig
      const { hub, agent } = rig.system
      const told: string[] = []
      client.socket.on('storage', ({ state }) => told.push(state))
      expect(await rest.ready()).toEqual({ ready: true })

      const streaming = await rig.begin([{ count: { to: 250, delayMs: 20 } }, { text: 'The end.' }])
      const asking = await rig.begin([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }])
      const ask = await rig.asked(asking)
      const viewer = await openViewer(hub, streaming)
      closing.push(() => viewer.close())
      await until('a stream', () => rig.stored(streaming) > 10)

      disk.begins()
      const why = await until('the hub to say that it is not ready', () =>
        rest.ready().then(
          () => null,
          (error: { code: string; details: object }) => error,
        ),
      )
      expect(why).toMatchObject({ code: 'STORAGE_UNAVAILABLE', details: { state } })
      await until('the page to hear of it', () => told.includes(state))
      const web = new RawWeb(hub)
      expect((await web.ask('/api/v1/health')).status).toBe(200)
      expect(await web.ask('/api/v1/ready')).toMatchObject({ status: 503, code: 'STORAGE_UNAVAILABLE' })

      await expect(rig.allow(ask)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
      await expect(rig.prompt(streaming, [{ text: 'Later.' }])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
      const [request] = (await rest.snapshot(asking, 1)).session.requests
      expect(request).toMatchObject({ decision: null, outcome: 'open' })
      await until('the machine to be ahead', () => {
        const { head, inTurn } = progressOf(agent.sessionFolder(streaming))
        return !inTurn && head > rig.stored(streaming) + 20
      })
      const [machine] = (await rest.agents()).items
      expect(machine).toMatchObject({ online: true })
      expect((await web.post('/api/auth/sign-in/email', {})).status).not.toBe(500)

      disk.ends()
      await until('the hub to be ready by itself', () => rest.ready().catch(() => null))
      await until('the page to hear of that', () => told.at(-1) === 'ok')
      await rig.allow(ask)
      await rig.prompt(streaming, [{ text: 'Later.' }])
      const rows = await rig.agree(streaming)
      await viewer.reaches(rows.length)
      await rig.agree(asking)
      expect((await rest.snapshot(asking, 1)).session.requests).toMatchObject([
        { decision: { answer: 'allow' }, outcome: 'applied' },
      ])
      const lines = hub.output.split('\n').filter((line) => /the (disk|database|storage) of the hub/.test(line))
      expect(lines.filter((line) => line.includes(`"level":50`))).toHaveLength(1)
      expect(lines.filter((line) => line.includes('takes writes again'))).toHaveLength(1)
      expect(hub.output).not.toMatch(/unexpected error|a tick failed|"msg":"core"/)
    })
  },
)

describe('a database that is removed while the hub runs', () => {
  it('[F17] [STORE-7] nothing is taken any more, also where nobody writes, and the next start says what is missing', async () => {
    const rig = await startRig()
    closing.push(() => rig.dispose())
    const { hub } = rig.system
    const sessionId = await rig.begin([{ text: 'One.' }])
    await rig.agree(sessionId)
    for (const end of ['', '-wal', '-shm']) rmSync(path.join(hub.dataDir, `hub.db${end}`))
    await until('it to say so', () => hub.output.includes('was moved or removed while the hub ran'))
    await expect(rig.rest.ready()).rejects.toMatchObject({ details: { state: 'moved' } })
    await expect(rig.prompt(sessionId, [{ text: 'Two.' }])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect((await rig.rest.snapshot(sessionId, 10)).events.length).toBeGreaterThan(0)
    await hub.kill()
    await expect(hub.start()).rejects.toThrow(/hub\.db/)
  })
})

describe('a hub that starts on a disk without room', () => {
  variation('waits for room, says so, and is there when there is some', async (context) => {
    const disk = smallDisk(16)
    if (typeof disk === 'string') return context.skip(disk)
    closing.push(() => disk.close())
    const hub = new HubProcess(path.join(disk.folder, 'hub'))
    await hub.start()
    await hub.makeOwner()
    await hub.stop()
    disk.fill()
    const started = hub.start()
    closing.push(
      () => disk.free(),
      () => hub.stop(),
    )
    await until('it to say why it waits', () => hub.output.includes('the hub starts when there is room'))
    disk.free()
    await started
    expect(await new RawWeb(hub).ask('/api/v1/ready')).toMatchObject({ status: 200 })
  })
})

describe('what the hub has written', () => {
  it('[STORE-8.1] is in the file itself after the set-up: a WAL that is lost takes no owner away', async () => {
    const folder = freshFolder('young')
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const hub = new HubProcess(folder)
    await hub.start()
    await hub.makeOwner()
    await hub.kill()
    expect(statSync(path.join(folder, 'hub.db-wal')).size).toBeGreaterThan(0)
    for (const name of ['hub.db-wal', 'hub.db-shm']) rmSync(path.join(folder, name))
    await hub.start()
    closing.push(() => hub.stop())
    expect(await (await hub.client()).rest.me()).toMatchObject({ role: 'owner' })
  })

  variation('[STORE-8.1] comes into the file by itself while the hub runs', async () => {
    const folder = freshFolder('young')
    closing.push(() => rmSync(folder, { recursive: true, force: true }))
    const hub = new HubProcess(folder)
    await hub.start()
    closing.push(() => hub.stop())
    await hub.makeOwner()
    const file = path.join(folder, 'hub.db')
    const before = statSync(file).mtimeMs
    const { rest } = await hub.client() // the sign-in is stored
    await until('a checkpoint', () => statSync(file).mtimeMs > before, 90_000)
    expect((await rest.me()).role).toBe('owner')
  })
})
