/**
 * The hub's own file is damaged: bits flip, pages tear, values are NULL. Whose rows were hit is told so, by a code and in
 * plain words; all the others read and write as before, and the hub stays up.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAll } from '../support/accounts/ledger'
import { openViewer } from '../support/accounts/viewer'
import { freshFolder, repoRoot } from '../support/common/paths'
import { seeded } from '../support/common/random'
import { until } from '../support/common/until'
import { HubFile } from '../support/damage/damage-hub'
import { HubProcess } from '../support/processes/hub-process'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { RawWeb } from '../support/wire/raw-web'

const seed = Number(process.env.ROUNDHOUSE_SEED ?? 1)
/** More of the random ones. */
const rounds = Number(process.env.ROUNDHOUSE_ROUNDS ?? 1)
const long = (word: string) => `${word} ${`the ${word} goes on and on. `.repeat(160)}`

const victims = ['bits', 'torn', 'null', 'row', 'status', 'ask', 'command', 'hole', 'end', 'wild', 'live'] as const
type Victim = (typeof victims)[number]

let rig: Rig
let file: HubFile
let web: RawWeb
let neighbour: string
const ids = {} as Record<Victim, string>
const random = seeded(seed)

const turn = (word: string) => [1, 2, 3].map((n) => ({ text: `${word}-${n} ${long(word)}` }))
async function isIdle(sessionId: string): Promise<boolean> {
  const { session } = await rig.rest.snapshot(sessionId, 1)
  const isQuiet = ['idle', 'resumable'].includes(session.status.status) && session.turnId === undefined
  if (!isQuiet) throw new Error(JSON.stringify(session))
  return true
}
const get = async (target: string) => {
  const answer = await web.ask(`/api/v1${target}`, { headers: { login } })
  return { ...answer, json: JSON.parse(answer.body) }
}
let login = ''

beforeAll(async () => {
  rig = await startRig()
  file = new HubFile(rig.system.hub.dataDir)
  neighbour = await rig.begin([{ text: 'I live next door.' }])
  for (const name of victims) {
    const ask = name === 'ask' ? [{ tool: 'Write', input: { file_path: 'a.txt', content: 'of the ask' } }] : []
    ids[name] = await rig.begin([...turn(name), ...ask])
  }
  for (const name of victims) if (name !== 'ask') await until(`${name} to be at rest`, () => isIdle(ids[name]))
  await rig.asked(ids.ask)
  web = new RawWeb(rig.system.hub)
  login = await web.asOwner()
}, 120_000)
afterAll(() => rig.dispose())

/** While the hub is down. */
async function damaged(work: () => void): Promise<void> {
  const { hub, agent } = rig.system
  await hub.stop()
  file.settle()
  work()
  await hub.start()
  await agent.connected()
  await neighboursAreWhole()
}

async function neighboursAreWhole(): Promise<void> {
  const { hub } = rig.system
  for (const target of ['/health', '/sessions', '/sessions?status=idle', '/inbox', '/agents', '/me', '/audit']) {
    const answer = await get(target)
    expect([target, answer.status, answer.code]).toEqual([target, 200, undefined])
  }
  expect((await get('/sessions')).json.items.map((one: { sessionId: string }) => one.sessionId)).toContain(neighbour)
  const viewer = await openViewer(hub, neighbour)
  const before = (await rig.rest.snapshot(neighbour, 1)).head
  await rig.prompt(neighbour, [{ text: 'Still here.' }])
  await until('the neighbour to answer', () => (viewer.shown().at(-1)?.seq ?? 0) > before + 2)
  await until('the neighbour to rest', () => isIdle(neighbour))
  viewer.close()
  await agreesAgain(neighbour)
  expect(hub.output).not.toMatch(/unexpected error|"code":"INTERNAL"/)
}

async function agreesAgain(sessionId: string): Promise<void> {
  const shown = await readAll(rig.rest, sessionId)
  expect(shown.map(({ seq }) => seq)).toEqual(shown.map((_, index) => index + 1))
  expect(shown.filter(({ kind }) => kind === 'tombstone')).toEqual([])
}

/** The transcript of a session that was hit, by its numbers without a hole, and what could not be read of it. */
async function transcriptOf(sessionId: string) {
  const { head } = await rig.rest.snapshot(sessionId, 1)
  const events = await readAll(rig.rest, sessionId)
  let next = 1
  for (const event of events) {
    expect(event.seq).toBe(next)
    next = (event.to ?? event.seq) + 1
  }
  expect(next).toBe(head + 1)
  const lost = events.filter(({ body }) => /"code":"DAMAGED"|"reason":"corrupt"/.test(body))
  return { events, lost }
}

/** A session of which no machine speaks, with the row and the events of one that is whole. */
function likeAnother(sessionId: string): void {
  file.sql((db) => {
    const like = (table: string, key: string, name: string) => {
      const columns = (db.pragma(`table_info(${table})`) as Array<{ name: string }>)
        .map((column) => column.name)
        .filter((column) => column !== 'pk' && column !== key)
      const of = db.prepare('SELECT pk FROM Session WHERE sessionId = ?').pluck()
      const [from, to] = table === 'Session' ? [neighbour, name] : [of.get(neighbour), of.get(name)]
      db.prepare(`INSERT INTO ${table} (${key}, ${columns}) SELECT ?, ${columns} FROM ${table} WHERE ${key} = ?`).run(
        to,
        from,
      )
    }
    like('Session', 'sessionId', sessionId)
    like('Event', 'sessionPk', sessionId)
  })
}

const ofSession = 'sessionPk = (SELECT pk FROM Session WHERE sessionId = ?)'

describe('the file of the hub, the events of several sessions in it', () => {
  const wild = () => {
    const pages = file.pagesWith('the wild goes on', 'Event', 'overflow')
    file.flipOnPage(pages[random(pages.length)] ?? 0, 1 + random(6), random)
  }

  beforeAll(() =>
    damaged(() => {
      for (const [column, seq] of Object.entries({ body: 2, hash: 3, kind: 4, at: 5 })) {
        expect(file.put('Event', column, null, `${ofSession} AND seq = ?`, ids.null, seq)).toBe(1)
      }
      file.sql((db) => db.prepare(`DELETE FROM Event WHERE ${ofSession} AND seq IN (3, 4)`).run(ids.hole))
      file.flipIn('the bits goes on', 1, random)
      for (const page of file.pagesWith('the torn goes on', 'Event', 'overflow').slice(1, 3)) file.tear(page, random)
      wild()
    }),
  )

  it('[STORE-6.2] has bits flipped in the texts of one session: they are marked in their places, the rest is read', async () => {
    const { events, lost } = await transcriptOf(ids.bits)
    expect(lost.length).toBeGreaterThanOrEqual(3)
    expect(events.length).toBeGreaterThan(lost.length)
  })

  it('[STORE-6.3] has a page torn that holds only events of one session', async () => {
    const { lost } = await transcriptOf(ids.torn)
    expect(lost.length).toBeGreaterThan(0)
  })

  it('[STORE-6] has NULL where an event has its text, its hash or its kind', async () => {
    const { lost } = await transcriptOf(ids.null)
    expect(lost.map(({ seq }) => seq)).toEqual([2, 3, 4, 5])
  })

  it('[STORE-6.3] lacks events in the middle of a session: the hole is a gap, and a viewer comes to the end', async () => {
    const { lost } = await transcriptOf(ids.hole)
    expect(lost.map(({ seq, to }) => [seq, to ?? seq])).toEqual([[3, 4]])
    const viewer = await openViewer(rig.system.hub, ids.hole)
    await viewer.reaches((await rig.rest.snapshot(ids.hole, 1)).head)
    viewer.close()
  })

  it(`[STORE-6] has bits flipped anywhere in the pages of one session, seed ${seed}`, async () => {
    await transcriptOf(ids.wild)
    for (let n = 1; n < rounds; n += 1) {
      await damaged(wild)
      await transcriptOf(ids.wild)
    }
  })
})

describe('the file of the hub, what it has of several sessions', () => {
  const error = { code: 'STORAGE_DAMAGED' }
  const filler = 40
  const values = [
    [() => ids.row, 'projection', '{"seq":12,"requ'],
    [() => ids.status, 'status', '{"status":"id'],
    [() => 'ses_no_projection', 'projection', null],
    [() => 'ses_no_status', 'status', null],
    [() => 'ses_no_settings', 'settings', 'x'],
    [() => 'ses_no_head', 'committed', 'many'],
    [() => 'ses_no_title', 'title', null],
  ] as const

  beforeAll(() =>
    damaged(() => {
      file.sql((db) => db.prepare(`DELETE FROM Event WHERE ${ofSession} AND seq > 5`).run(ids.end))
      for (const [idOf] of values) if (idOf().startsWith('ses_no_')) likeAnother(idOf())
      for (const [idOf, column, value] of values) file.put('Session', column, value, 'sessionId = ?', idOf())
      file.put('Request', 'ask', '{"requestId":', 'sessionId = ?', ids.ask)
      file.sql((db) => db.prepare("UPDATE Command SET state = 'sent' WHERE sessionId = ?").run(ids.command))
      file.put('Command', 'body', null, 'sessionId = ?', ids.command)
    }),
  )

  it('[STORE-6.4] [STORE-6.5] lacks the last events of a session: it says so, and takes no prompt that nobody would see', async () => {
    await until('the session to be shown as damaged', async () => {
      const { session } = await rig.rest.snapshot(ids.end, 1)
      return session.damaged === true && session.status.status === 'ended'
    })
    const { items } = await rig.rest.sessions({ limit: 50 })
    expect(items.find(({ sessionId }) => sessionId === ids.end)?.status).toMatchObject({ status: 'ended', error })
    await expect(rig.prompt(ids.end, [{ text: 'No.' }])).rejects.toMatchObject(error)
    await transcriptOf(ids.end)
  })

  it('[STORE-6.4] has rows of sessions that are not whole: each says so itself, the lists show all others, its machine goes on', async () => {
    const { items } = await rig.rest.sessions({ limit: 50 })
    for (const [idOf, column] of values) {
      const sessionId = idOf()
      const { session, events } = await rig.rest.snapshot(sessionId)
      expect([sessionId, session]).toMatchObject([sessionId, { damaged: true, status: { status: 'ended', error } }])
      if (column !== 'committed') expect([sessionId, events.length > 5]).toEqual([sessionId, true])
      await expect(rig.prompt(sessionId, [{ text: 'No.' }])).rejects.toMatchObject(error)
      const listed = items.find((one) => one.sessionId === sessionId)
      if (column !== 'projection' && column !== 'settings') expect(listed?.status).toMatchObject({ error })
    }
  })

  it('[STORE-6.8] has a question and a command that cannot be read: nobody else misses anything', async () => {
    for (const name of ['ask', 'command'] as const) {
      const answer = await get(`/sessions/${ids[name]}`)
      expect([name, answer.status, answer.json.session?.damaged ?? answer.code]).toEqual([name, 200, true])
    }
  })

  it('[STORE-6.9] has a page of the table of sessions torn: the lists show the sessions of all other pages', async () => {
    await damaged(() => {
      for (let n = 0; n < filler; n += 1) likeAnother(`ses_filler_${n}`)
      const [page = 0] = file.pagesWith('ses_filler_20', 'Session', 'leaf')
      expect(page).toBeGreaterThan(0)
      file.tear(page, random)
    })
    const { items } = (await get('/sessions?limit=100')).json
    expect(
      items.filter(({ sessionId }: { sessionId: string }) => sessionId.startsWith('ses_filler')).length,
    ).toBeGreaterThan(filler / 2)
  })
})

describe('the check of a damaged folder', () => {
  it('[AUD-3.2] [STORE-6] tells which events are not what they were, and where it cannot read on', () => {
    const check = path.join(repoRoot, 'apps/hub/dist/audit-check.js')
    const { status, stdout, stderr } = spawnSync(process.execPath, [check, '--data', rig.system.hub.dataDir], {
      encoding: 'utf8',
    })
    expect(stdout).toContain('audit log intact')
    expect(stdout).toMatch(new RegExp(`EVENTS CHANGED: .*${ids.bits}`))
    expect([status, stderr]).toEqual([1, ''])
  })
})

describe('the file of the hub, while it runs', () => {
  it(`[STORE-6] has bits flipped and pages torn under it, seed ${seed}: it stays up, and whose rows were hit is told`, async () => {
    const { hub } = rig.system
    const { pid } = hub
    const viewer = await openViewer(hub, ids.live)
    for (const page of file.pagesWith('the live goes on', 'Event', 'overflow').slice(1, 3)) file.tear(page, random)
    file.flipIn('the live goes on', 1, random)
    await neighboursAreWhole()
    await viewer.reaches((await rig.rest.snapshot(ids.live, 1)).head)
    viewer.close()
    await transcriptOf(ids.live)
    expect(hub.pid).toBe(pid)
    await damaged(() => {})
    const { lost } = await transcriptOf(ids.live)
    expect(lost.length).toBeGreaterThan(0)
  })
})

describe('a file that is no database any more', () => {
  const folder = freshFolder('destroyed')
  const file = new HubFile(folder)
  const whole = freshFolder('whole')
  beforeAll(async () => {
    const hub = new HubProcess(folder)
    await hub.start()
    await hub.makeOwner()
    await hub.stop()
    cpSync(folder, whole, { recursive: true })
  })
  afterAll(() => {
    for (const one of [folder, whole]) rmSync(one, { recursive: true })
  })

  async function isRefused(destroy: () => void): Promise<void> {
    rmSync(folder, { recursive: true })
    cpSync(whole, folder, { recursive: true })
    destroy()
    const said = await new HubProcess(folder).refusal()
    expect(said).toContain(file.file)
    expect(said).toMatch(/backup/)
    expect(said).not.toMatch(/\bat .*\.js:\d+|"stack"/)
  }

  it.each([
    ['is of other bytes', () => writeFileSync(file.file, 'x'.repeat(100_000))],
    ['is gone', () => rmSync(file.file)],
    ['ends in the middle', () => file.cut(40 * 4_096)],
  ])('[STORE-6.10] %s: the hub does not start, and says which file and what to do', (_what, destroy) =>
    isRefused(destroy),
  )

  variation.each([
    ['has lost its beginning', () => file.tear(0, seeded(7))],
    ['is empty', () => file.cut(0)],
    ['ends on its first page', () => file.cut(2_000)],
  ])('[STORE-6.10] %s: the hub does not start, and says so', (_what, destroy) => isRefused(destroy))
})
