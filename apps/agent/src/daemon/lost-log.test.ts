import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionFiles } from '../host-contract/paths'
import { openLogReader } from '../log/reader'
import { AgentBench } from '../testing/agent-bench'
import { FakeHub } from '../testing/fake-hub'
import type { Daemon } from './daemon'

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
  const { acked, head } = { acked: reader.acked(), head: reader.head() }
  reader.close()
  return { ...acked, head }
}

describe('[ACK-1] what the hub has taken', () => {
  it('[STORE-3] lies in the log itself, so that it is known where the index is lost', async () => {
    await oneTurn('s1')
    const { upTo, epoch, head } = ackedIn('s1')
    expect(epoch).toBe(hub.hubEpoch)
    // Not all: what the host writes as its last is taken when it has gone.
    expect(upTo).toBeGreaterThan(0)
    forgetIndex()
    await start()
    expect(hub.reports.at(-1)).toMatchObject([{ sessionId: 's1', last: head, acked: upTo, ackedEpoch: epoch }])
  })

  it('[REB-1] is put back together with the log, and never claims what that no longer holds', async () => {
    await oneTurn('s1')
    const { log } = filesOf('s1')
    const backup = path.join(bench.root, 'backup.db')
    copyFileSync(log, backup)
    await start()
    await hub.command(bench.prompt('s1', say('two')))
    await has('s1', 'turn_completed', 2)
    await end()
    putBack(backup, log)
    forgetIndex()
    const { upTo } = ackedIn('s1')
    await start()
    expect(hub.reports.at(-1)).toMatchObject([{ sessionId: 's1', acked: upTo }])
    await has('s1', 'gap')
    await hub.command(bench.prompt('s1', say('three')))
    await has('s1', 'turn_completed', 3)
    expect(texts('s1')).toEqual(['one', 'two', 'three'])
    dense('s1')
  })

  it('is told to the next host where none ran when it was said', async () => {
    await oneTurn('s1')
    const { head } = ackedIn('s1')
    await start()
    await hub.until(() => hub.seqs('s1').length >= head)
    await heard()
    await hub.command(bench.prompt('s1', say('two')))
    await has('s1', 'turn_completed', 2)
    await end()
    expect(ackedIn('s1').upTo).toBeGreaterThanOrEqual(head)
  })
})

describe('[REB-1] a log that is not what the daemon remembers', () => {
  it('is a new one when it was put back to an older state, and goes on behind a gap', async () => {
    await oneTurn('s1')
    const { log } = filesOf('s1')
    const backup = path.join(bench.root, 'backup.db')
    copyFileSync(log, backup)
    const before = hub.logIds.get('s1')
    await start()
    await hub.command(bench.prompt('s1', say('two')))
    await has('s1', 'turn_completed', 2)
    await end()
    putBack(backup, log)

    await start()
    await has('s1', 'gap')
    expect(hub.logIds.get('s1')).not.toBe(before)
    expect(gaps('s1')).toMatchObject([{ reason: 'rebase' }])
    await hub.command(bench.prompt('s1', say('three')))
    await has('s1', 'turn_completed', 3)
    expect(texts('s1')).toEqual(['one', 'two', 'three'])
    dense('s1')
    // Found once: the next start has nothing new to say.
    const logId = hub.logIds.get('s1')
    await end()
    await start()
    expect(hub.logIds.get('s1')).toBe(logId)
    expect(gaps('s1')).toHaveLength(1)
  })

  it.each([
    ['the log', () => rmSync(filesOf('s1').log)],
    ['the whole folder', () => rmSync(path.dirname(filesOf('s1').log), { recursive: true })],
  ])('[F21] is a new one when %s is gone', async (_what, lose) => {
    await oneTurn('s1')
    const [before, held] = [hub.logIds.get('s1'), hub.seqs('s1').length]
    lose()
    await start()
    await has('s1', 'gap')
    expect(hub.logIds.get('s1')).not.toBe(before)
    expect(hub.reports.at(-1)).toMatchObject([{ sessionId: 's1', last: 0, acked: 0 }])
    expect(gaps('s1')).toEqual([{ kind: 'gap', from: held + 1, to: held + 1, reason: 'rebase' }])
    // What it was made with went with it.
    expect(await hub.command(bench.prompt('s1', say('two')))).toMatchObject({ answer: { state: 'refused' } })
  })

  it('is found by the next host where the daemon goes on running', async () => {
    await oneTurn('s1')
    const { log } = filesOf('s1')
    const backup = path.join(bench.root, 'backup.db')
    copyFileSync(log, backup)
    await start()
    await hub.command(bench.prompt('s1', say('two')))
    await has('s1', 'turn_completed', 2)
    await hub.command(bench.command('s1', { kind: 'session.stop' }, false))
    await hub.until(() => daemon?.liveSessions().length === 0)
    putBack(backup, log)
    // Its answer may be lost with the connection: a new log is agreed upon with a new one.
    hub.command(bench.prompt('s1', say('three'))).catch(() => {})
    await has('s1', 'turn_completed', 3)
    expect(texts('s1')).toEqual(['one', 'two', 'three'])
    expect(gaps('s1')).toHaveLength(1)
    dense('s1')
  })

  it('is not taken for lost when its session was erased', async () => {
    await oneTurn('s1')
    await start()
    await hub.command(bench.command('s1', { kind: 'session.delete' }, false))
    expect(bench.sessionIds()).toEqual([])
    await end()
    await start()
    expect(bench.sessionIds()).toEqual([])
  })
})
