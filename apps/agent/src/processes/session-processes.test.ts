import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ProcessRow } from '@roundhouse/owner'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../testing/bundle'
import { markReader, processesMarked } from './mark-reader'
import { findSessionProcesses, mayBeOf, selectSessionProcesses } from './session-processes'

const row = (pid: number, ppid: number, start = `s${pid}`, zombie = false) => ({ pid, ppid, start, zombie })
const known = (pid: number) => ({ pid, start: `s${pid}`, bootId: 'boot' })

describe('[RES-6] the processes of a session', () => {
  const rows = [row(1, 0), row(10, 1), row(11, 10), row(12, 11), row(20, 1), row(30, 1)]

  it('are those recorded with their descendants, and whoever carries the mark', () => {
    const found = selectSessionProcesses(rows, [known(10)], new Set([30]), 'boot', new Set())
    expect(found.map(({ pid }) => pid)).toEqual([10, 11, 12, 30])
  })

  it('are none of another boot, another start time, or already dead', () => {
    const others = [
      { ...known(10), bootId: 'before' },
      { ...known(20), start: 'reused' },
    ]
    expect(selectSessionProcesses(rows, others, new Set(), 'boot', new Set())).toEqual([])
    const zombies = [row(10, 1, 's10', true)]
    expect(selectSessionProcesses(zombies, [known(10)], new Set([10]), 'boot', new Set())).toEqual([])
  })

  it('never include the one that asks, nor what hangs below it alone', () => {
    const found = selectSessionProcesses(rows, [known(10)], new Set([11]), 'boot', new Set([11]))
    expect(found.map(({ pid }) => pid)).toEqual([10])
  })
})

describe('[RES-6.9] [RES-4] a process whose environment cannot be read', () => {
  const host = { pid: 50, start: '500', bootId: 'boot' }
  const at = (pid: number, start: number, sid = pid): ProcessRow => ({
    pid,
    ppid: 1,
    sid,
    start: `${start}`,
    zombie: false,
  })
  const rows = [at(1, 1), at(10, 100), at(60, 600), at(61, 610, 60), at(62, 620, 10), at(70, 700), at(71, 710, 70)]
  const mayBe = (unread: number[], found: number[] = [], by: typeof host | null = host, boot = 'boot') =>
    mayBeOf(by, rows, new Set(unread), new Set(found), boot).map(({ pid }) => pid)

  it('may be the session’s where it began after its host, in a terminal session that nobody else began', () => {
    expect(mayBe([60])).toEqual([60])
    expect(mayBe([60, 61])).toEqual([60, 61])
    expect(mayBe([61], [60])).toEqual([61])
  })

  it('is not where it was there before, or came from somebody who was or who has no mark', () => {
    expect(mayBe([1, 10])).toEqual([])
    expect(mayBe([62, 71])).toEqual([])
    expect(mayBe([60], [], host, 'after the next boot')).toEqual([])
  })

  it('may be anybody’s where nobody knows when the host began, and is known where its parent is', () => {
    expect(mayBe([10, 60], [], null)).toEqual([10, 60])
    expect(mayBe([60], [60])).toEqual([])
  })
})

describe('[FLOW-7] marks of processes', () => {
  let folder: string
  let entry: string
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'roundhouse-marks-'))
    entry = await bundle('reaper/main.ts')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('[RES-6.8] find a process that carries them, and none that has ended', async () => {
    const sessionId = `test-${process.pid}`
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      env: { ROUNDHOUSE_SESSION: sessionId },
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    await once(child, 'spawn')
    const readMarks = markReader({ entry })
    expect((await findSessionProcesses(readMarks, sessionId, [])).found).toMatchObject([{ pid: child.pid }])
    expect(await processesMarked(readMarks, { ROUNDHOUSE_SESSION: sessionId })).toEqual([child.pid])
    expect(await processesMarked(readMarks, { ROUNDHOUSE_SESSION: sessionId, OTHER: '' })).toEqual([])
    child.kill('SIGKILL')
    await exited
    expect((await findSessionProcesses(readMarks, sessionId, [])).found).toEqual([])
  })

  /** Tells of each process but those that hang. `asked`: a line in its environment counts how often it was. */
  function standIn(hangs: number[]): string {
    const file = path.join(folder, 'stand-in.mjs')
    const text = `import { createInterface } from 'node:readline'
const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n')
say({ ready: true })
for await (const line of createInterface({ input: process.stdin })) {
  const { pids } = JSON.parse(line)
  for (const pid of pids) if (!${JSON.stringify(hangs)}.includes(pid)) say({ pid, marks: { ASKED: String(pids) } })
  if (!pids.some((pid) => ${JSON.stringify(hangs)}.includes(pid))) say({ done: true })
}`
    writeFileSync(file, text)
    return file
  }
  const rows = () => [row(1, 0), row(10, 1), row(11, 10), row(12, 10, 's12', true)]

  it('are read of all others where one hangs, and it is not asked again at once', async () => {
    const readMarks = markReader({ entry: standIn([10]), limitMs: 200, rows })
    const seen = await readMarks(['ASKED'])
    expect([...seen.marks.keys()]).toEqual([1, 11])
    expect([...seen.unread]).toEqual([10])
    const again = await readMarks(['ASKED'])
    expect(again.marks.get(1)).toEqual({ ASKED: '1,11' })
    expect([...again.unread]).toEqual([10])
  })

  it('are read once for all who ask meanwhile, after what is under way', async () => {
    let looks = 0
    const counted = () => {
      looks += 1
      return rows()
    }
    const readMarks = markReader({ entry: standIn([]), rows: counted })
    await Promise.all([readMarks(['A']), readMarks(['A']), readMarks(['B'])])
    expect(looks).toBe(1)
    const first = readMarks(['A'])
    await new Promise(setImmediate)
    await Promise.all([first, readMarks(['A']), readMarks(['B'])])
    expect(looks).toBe(3)
  })

  it('[FLOW-5] are unknown, and not missing, where nobody can look', async () => {
    const dead = path.join(folder, 'dead.mjs')
    writeFileSync(dead, 'process.exit(1)')
    for (const missing of [undefined, path.join(folder, 'missing.mjs'), dead]) {
      await expect(markReader({ entry: missing, rows })(['A'])).rejects.toMatchObject({ code: 'OUT_OF_RESOURCES' })
    }
  })
})
