import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionFiles } from '../../host-contract/paths'
import { openLogReader } from '../../log/reader'
import { AgentBench } from '../../testing/agent-bench'
import { FakeHub } from '../../testing/fake-hub'
import { sessionName } from '../../testing/session-name'
import { variation, wholeMatrix } from '../../testing/variation'
import type { Daemon } from '../daemon'

const s1 = sessionName('s1')

let hub: FakeHub
let bench: AgentBench
let daemon: Daemon | null

beforeEach(async () => {
  hub = new FakeHub()
  await hub.start()
  bench = new AgentBench(hub)
  daemon = null
})
afterEach(async () => {
  await daemon?.endSessions(5_000)
  await hub.stop()
  await bench.dispose()
})

async function start(): Promise<void> {
  const before = hub.hellos.length
  daemon = await bench.daemon()
  await hub.until(() => hub.hellos.length > before && hub.ready)
}
async function end(): Promise<void> {
  await daemon?.endSessions(5_000)
  daemon = null
}
/** The agent has got everything that the hub said before. */
const heard = () => hub.ask('question', { kind: 'folders' })
const filesOf = (sessionId: string) => sessionFiles(path.join(bench.home.sessions, sessionId))
const eventsOf = (sessionId: string) =>
  (hub.sessions.get(sessionId) ?? []).flatMap(({ body }) => (parseEventBody(body) as SessionEvent | null) ?? [])
const texts = (sessionId: string) => eventsOf(sessionId).flatMap((e) => (e.kind === 'assistant_text' ? [e.text] : []))
const gaps = (sessionId: string) => eventsOf(sessionId).filter(({ kind }) => kind === 'gap')
const has = (sessionId: string, kind: SessionEvent['kind'], count = 1) =>
  hub.until(() => eventsOf(sessionId).filter((event) => event.kind === kind).length >= count)
const say = (text: string) => script([{ text }])
const dense = (sessionId: string) =>
  expect(hub.seqs(sessionId)).toEqual(hub.seqs(sessionId).map((_, index) => index + 1))

function putBack(backup: string, log: string): void {
  for (const side of ['-wal', '-shm']) rmSync(`${log}${side}`, { force: true })
  copyFileSync(backup, log)
}

/** As after a power cut: it is written without a promise. */
function forgetIndex(): void {
  for (const side of ['', '-wal', '-shm']) rmSync(`${bench.home.indexFile}${side}`, { force: true })
}

/** A session with one turn, closed cleanly, so that its log is one file. */
async function oneTurn(sessionId: string): Promise<void> {
  await start()
  await hub.command(bench.create(sessionId, say('one')))
  await has(sessionId, 'turn_completed')
  await heard()
  await end()
}

const ackedIn = (sessionId: string) => {
  const reader = openLogReader(path.join(bench.home.sessions, sessionId))
  const { acked, head } = { acked: reader.acked(), head: reader.found().head }
  reader.close()
  return { ...acked, head }
}

describe('[ACK-1] what the hub has taken', () => {
  it('[STORE-3.5] [STORE-3.6] lies in the log itself, so that it is known where the index is lost, and is told to the next host where none ran when it was said', async () => {
    await oneTurn(s1)
    const { upTo, epoch, head } = ackedIn(s1)
    expect(epoch).toBe(hub.hubEpoch)
    // Not all: what the host writes as its last is taken when it has gone.
    expect(upTo).toBeGreaterThan(0)
    forgetIndex()
    await start()
    expect(hub.reports.at(-1)).toMatchObject([{ sessionId: s1, last: head, acked: upTo, ackedEpoch: epoch }])
    await hub.until(() => hub.seqs(s1).length >= head)
    await heard()
    await hub.command(bench.prompt(s1, say('two')))
    await has(s1, 'turn_completed', 2)
    await end()
    expect(ackedIn(s1).upTo).toBeGreaterThanOrEqual(head)
  })

  variation(
    '[REB-1] [STORE-3.5] is put back together with the log, and never claims what that no longer holds',
    async () => {
      await oneTurn(s1)
      const { log } = filesOf(s1)
      const backup = path.join(bench.root, 'backup.db')
      copyFileSync(log, backup)
      await start()
      await hub.command(bench.prompt(s1, say('two')))
      await has(s1, 'turn_completed', 2)
      await end()
      putBack(backup, log)
      forgetIndex()
      const { upTo } = ackedIn(s1)
      await start()
      expect(hub.reports.at(-1)).toMatchObject([{ sessionId: s1, acked: upTo }])
      await has(s1, 'gap')
      await hub.command(bench.prompt(s1, say('three')))
      await has(s1, 'turn_completed', 3)
      expect(texts(s1)).toEqual(['one', 'two', 'three'])
      dense(s1)
    },
  )
})

describe('[REB-1] [STORE-3] whatever the hub has of a log', () => {
  const remembered = () => {
    const index = new Database(bench.home.indexFile, { readonly: true })
    const row = index.prepare<[string], { last: number }>('SELECT last FROM sessions WHERE sessionId = ?').get(s1)
    index.close()
    return row?.last ?? 0
  }

  it('[STORE-3.4] is in the file of the index by then: a daemon that is killed at that moment leaves one which knows', async () => {
    await start()
    const made = hub.command(bench.create(s1, say('one')))
    for (const kind of ['session_created', 'turn_started', 'assistant_text', 'turn_completed'] as const) {
      await has(s1, kind)
      expect(remembered()).toBeGreaterThanOrEqual(hub.seqs(s1).at(-1) ?? 0)
    }
    await made
  })
})

describe('[REB-1] a log that is not what the daemon remembers', () => {
  it('[REB-1.14] is a new one when it was put back to an older state, and goes on behind a gap', async () => {
    await oneTurn(s1)
    const { log } = filesOf(s1)
    const backup = path.join(bench.root, 'backup.db')
    copyFileSync(log, backup)
    const before = hub.logIds.get(s1)
    await start()
    await hub.command(bench.prompt(s1, say('two')))
    await has(s1, 'turn_completed', 2)
    await end()
    putBack(backup, log)

    await start()
    await has(s1, 'gap')
    expect(hub.logIds.get(s1)).not.toBe(before)
    expect(gaps(s1)).toMatchObject([{ reason: 'rebase' }])
    await hub.command(bench.prompt(s1, say('three')))
    await has(s1, 'turn_completed', 3)
    expect(texts(s1)).toEqual(['one', 'two', 'three'])
    dense(s1)
    // Found once: the next start has nothing new to say.
    const logId = hub.logIds.get(s1)
    await end()
    await start()
    expect(hub.logIds.get(s1)).toBe(logId)
    expect(gaps(s1)).toHaveLength(1)
  })

  const otherDatabase = () => {
    rmSync(filesOf(s1).log)
    const other = new Database(filesOf(s1).log)
    other.exec('CREATE TABLE meta (name TEXT); CREATE TABLE events (id TEXT)')
    other.close()
  }
  const garbage = randomBytes(20_000)
  const losses: Array<readonly [string, () => void]> = [
    ['is gone', () => rmSync(filesOf(s1).log)],
    ['is empty', () => truncateSync(filesOf(s1).log)],
    ['is garbage', () => writeFileSync(filesOf(s1).log, garbage)],
    ['has lost its second half', () => truncateSync(filesOf(s1).log, statSync(filesOf(s1).log).size / 2)],
    ['is another database', otherDatabase],
  ]
  it.each(wholeMatrix ? losses : losses.slice(2, 3))(
    '[F21] [RES-2] is a new one when it %s, and its conversation goes on behind one gap',
    async (what, lose) => {
      await oneTurn(s1)
      const [before, held] = [hub.logIds.get(s1), hub.seqs(s1).length]
      lose()
      await start()
      await has(s1, 'gap')
      expect(hub.logIds.get(s1)).not.toBe(before)
      // What lay in its place is kept, for whoever wants to look at it.
      const folder = path.dirname(filesOf(s1).log)
      const aside = readdirSync(folder).filter((name) => name.includes('.broken-'))
      if (what === 'is garbage') expect(aside.map((name) => readFileSync(path.join(folder, name)))).toEqual([garbage])
      expect(gaps(s1)).toEqual([{ kind: 'gap', from: held + 1, to: held + 1, reason: 'rebase' }])
      await hub.command(bench.prompt(s1, say('two')))
      await has(s1, 'turn_completed', 2)
      expect(texts(s1)).toEqual(['one', 'two'])
      const started = eventsOf(s1).flatMap((event) => (event.kind === 'session_started' ? [event] : []))
      expect(started.map(({ resumed }) => resumed)).toEqual([false, true])
      expect(new Set(started.map(({ backendSessionId }) => backendSessionId)).size).toBe(1)
      dense(s1)
    },
  )

  it('[T24] is not a new one when it may only not be read: it is refused, and is there when somebody gives it back', async () => {
    await oneTurn(s1)
    const { log } = filesOf(s1)
    const [before, held] = [hub.logIds.get(s1), hub.seqs(s1).length]
    renameSync(log, `${log}.mine`)
    mkdirSync(log) // nobody may open this one, root neither
    await start()
    expect(await hub.command(bench.prompt(s1, say('two')))).toMatchObject({ answer: { state: 'refused' } })
    await end()
    rmdirSync(log)
    renameSync(`${log}.mine`, log)
    await start()
    await hub.command(bench.prompt(s1, say('three')))
    await has(s1, 'turn_completed', 2)
    expect(hub.logIds.get(s1)).toBe(before)
    expect(gaps(s1)).toEqual([])
    expect(hub.seqs(s1).length).toBeGreaterThan(held)
    dense(s1)
  })

  variation('[F21] is a new one when the whole folder is gone; of its settings nobody knows any more', async () => {
    await oneTurn(s1)
    const [before, held] = [hub.logIds.get(s1), hub.seqs(s1).length]
    rmSync(path.dirname(filesOf(s1).log), { recursive: true })
    await start()
    await has(s1, 'gap')
    expect(hub.logIds.get(s1)).not.toBe(before)
    expect(hub.reports.at(-1)).toMatchObject([{ sessionId: s1, last: 0, acked: 0 }])
    expect(gaps(s1)).toEqual([{ kind: 'gap', from: held + 1, to: held + 1, reason: 'rebase' }])
    expect(await hub.command(bench.prompt(s1, say('two')))).toMatchObject({ answer: { state: 'refused' } })
  })

  variation('is found by the next host where the daemon goes on running', async () => {
    await oneTurn(s1)
    const { log } = filesOf(s1)
    const backup = path.join(bench.root, 'backup.db')
    copyFileSync(log, backup)
    await start()
    await hub.command(bench.prompt(s1, say('two')))
    await has(s1, 'turn_completed', 2)
    await hub.command(bench.command(s1, { kind: 'session.stop' }, false))
    await hub.until(() => daemon?.liveSessions().length === 0)
    putBack(backup, log)
    const hellos = hub.hellos.length
    // What finds it lost is not begun: the hub asks again, once it holds the gap.
    const three = bench.prompt(s1, say('three'))
    expect(await hub.command(three)).toMatchObject({ ok: false, error: { code: 'STORAGE_UNAVAILABLE' } })
    await has(s1, 'gap')
    expect(await hub.command(three)).toMatchObject({ ok: true, answer: { state: 'accepted' } })
    await has(s1, 'turn_completed', 3)
    expect(texts(s1)).toEqual(['one', 'two', 'three'])
    expect(gaps(s1)).toHaveLength(1)
    expect(hub.hellos).toHaveLength(hellos)
    dense(s1)
  })

  it('[REB-4.7] is not taken for no session where the file is gone while the daemon runs: the hub asks again', async () => {
    await oneTurn(s1)
    await start()
    await heard()
    rmSync(filesOf(s1).log)
    const two = bench.prompt(s1, say('two'))
    expect(await hub.command(two)).toMatchObject({ ok: false, error: { code: 'STORAGE_UNAVAILABLE' } })
    await has(s1, 'gap')
    expect(await hub.command(two)).toMatchObject({ ok: true, answer: { state: 'accepted' } })
    await has(s1, 'turn_completed', 2)
    expect(texts(s1)).toEqual(['one', 'two'])
  })

  variation(
    '[CMD-2] is found under a host that runs: nothing is taken onto it, and what is asked again runs once',
    async () => {
      await start()
      await hub.command(bench.create(s1, say('one')))
      await has(s1, 'turn_completed')
      await heard()
      rmSync(filesOf(s1).log)
      const two = bench.prompt(s1, say('two'))
      expect(await hub.command(two)).toMatchObject({ ok: false, error: { code: 'STORAGE_UNAVAILABLE' } })
      await has(s1, 'gap')
      expect(await hub.command(two)).toMatchObject({ ok: true, answer: { state: 'accepted' } })
      await has(s1, 'turn_completed', 2)
      expect(texts(s1)).toEqual(['one', 'two'])
      expect(gaps(s1)).toHaveLength(1)
      dense(s1)
    },
  )

  variation('[CMD-2] is found in the middle of a turn by what the host writes, and nobody has to ask', async () => {
    await start()
    await hub.command(bench.create(s1, script([{ count: { to: 2_000, delayMs: 5 } }])))
    await has(s1, 'assistant_text', 3)
    rmSync(filesOf(s1).log)
    await has(s1, 'gap')
    await has(s1, 'turn_completed')
    expect(eventsOf(s1).flatMap((event) => (event.kind === 'turn_completed' ? [event.reason] : []))).toEqual([
      'process_exited',
    ])
    dense(s1)
  })

  variation('is not taken for lost when its session was erased', async () => {
    await oneTurn(s1)
    await start()
    await hub.command(bench.command(s1, { kind: 'session.delete' }, false))
    expect(bench.sessionIds()).toEqual([])
    await end()
    await start()
    expect(bench.sessionIds()).toEqual([])
  })
})
