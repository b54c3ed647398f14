/** A pipe or a link where a file of the agent belongs: nobody waits for it or follows it, and it is no state that passes. */
import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentHome, requireWritableHome } from '../../files/agent-home'
import { LineFollower } from '../../files/follow-file'
import { readIfThere } from '../../files/read-if-there'
import { appendVerb } from '../../files/verbs-log'
import { probeWrite, writeDurably, writeDurablyOrInPlace } from '../../files/write-durably'
import { readAs } from '../../host-contract/host-door'
import { HostRecord } from '../../host-contract/launch-spec'
import { sessionFiles } from '../../host-contract/paths'
import { chainFile, readIdentity } from '../../identity/identity-file'
import { damagedMark, markDamaged } from '../../log/damaged-mark'
import { SessionLog } from '../../log/session-log'
import { PolicyStore } from '../../policy/policy-store'
import { realRoots } from '../../policy/real-roots'
import { createRedactor } from '../../redact/redactor'
import { LandmarkFile } from '../../session-host/journal/landmark-file'
import { readSpool } from '../../session-host/journal/spool'
import { UnwrittenMark } from '../../session-host/journal/unwritten-mark'
import { takeLock } from '../../session-host/lock'
import { RawRing } from '../../session-host/output/raw-ring'
import { loadDigestKey } from '../../session-host/permissions/digest'
import { readDaemonFile } from '../home/daemon-file'
import { tryStateLock } from '../home/state-lock'
import { Erasures, eraseFolder } from '../hosts/erasures'
import { WaitingNotes } from '../places/waiting-notes'
import { openIndexFile } from './index-file'

let folder: string
let foreign: string
const at = (name: string) => path.join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-in-the-way-'))
  foreign = at('foreign')
  writeFileSync(foreign, 'precious '.repeat(2_000))
})
afterEach(() => {
  expect(readFileSync(foreign, 'utf8')).toBe('precious '.repeat(2_000))
  rmSync(folder, { recursive: true })
})

const sorts = [
  ['a named pipe', (place: string) => void execFileSync('mkfifo', [place])],
  ['a link', (place: string) => symlinkSync(foreign, place)],
] as const
const inTheWay = (place: string, what: string) =>
  expect.objectContaining({
    code: 'STATE_UNWRITABLE',
    message: `${place} is ${what} and no ordinary file: move it away.`,
  })

describe.each(sorts)('[STORE-5] [FLOW-5] %s', (what, put) => {
  it('[STORE-5.19] is said by whoever cannot go on without the file, as what stays until somebody moves it', () => {
    put(at('one'))
    for (const work of [
      () => readIfThere(at('one')),
      () => readIdentity(at('one')),
      () => chainFile(at('one')).read(),
      () => tryStateLock(at('one')),
      () => takeLock(at('one')),
      () => new LineFollower(at('one'), () => {}).read(),
    ])
      expect(work).toThrow(inTheWay(at('one'), what))
    expect(() => loadDigestKey(at('one'))).toThrow(`${at('one')} is ${what}`)
  })

  it('counts as a damaged file for whoever goes on without it, and is replaced by what is written next', () => {
    put(at('one'))
    expect([readAs(HostRecord, at('one')), readDaemonFile(at('one'))]).toEqual([null, null])
    expect(new LandmarkFile(at('one'), 0).endOf('turn')).toBeNull()
    writeDurably(at('one'), 'new')
    expect([lstatSync(at('one')).isFile(), readFileSync(at('one'), 'utf8')]).toEqual([true, 'new'])
  })

  it('is no mark of damage, and a mark takes its place', () => {
    const { damaged } = sessionFiles(folder)
    put(damaged)
    expect(damagedMark(folder)).toBeNull()
    expect(markDamaged(folder, { logId: 'a', found: 'x' })).toBe(true)
    expect(damagedMark(folder)).toMatchObject({ found: 'x' })
  })

  it('[STORE-5.17] is not written through: neither as a draft, a probe nor a file that grows', () => {
    for (const name of [`one.${process.pid}.tmp`, 'probe', 'verbs.log', 'ring']) put(at(name))
    writeDurablyOrInPlace(at('one'), 'new')
    probeWrite(at('probe'))
    appendVerb(at('verbs.log'), { at: '', verb: 'v', sessionId: 's', verdict: 'done' })
    new RawRing(at('ring')).add('a line')
    expect(readFileSync(at('one'), 'utf8')).toBe('new')
    expect(readdirSync(folder).sort()).toEqual(['foreign', 'one', 'ring', 'verbs.log'])
  })

  it('in the place of the mark of what is not written says nothing, and makes way', () => {
    put(at('unwritten'))
    const mark = new UnwrittenMark(at('unwritten'))
    expect(mark.found).toBe(false)
    mark.held(true)
    expect(new UnwrittenMark(at('unwritten')).found).toBe(true)
  })

  it('in the place of the note of a prompt that waits says as much as the note', () => {
    put(sessionFiles(folder).waits)
    const notes = new WaitingNotes(() => folder, Date.now)
    expect(notes.find(['s'])).toMatchObject([{ sessionId: 's', commandId: 'unknown' }])
  })

  it('[STORE-5.22] in the place of the index is set aside, and the index is made anew', () => {
    for (const name of ['index.db', 'index.db-journal']) {
      rmSync(at(name), { force: true })
      put(at(name))
      const told: string[] = []
      const { db, rows } = openIndexFile(at('index.db'), (line) => told.push(line))
      db.close()
      expect([rows, told.length]).toEqual([[], 1])
    }
  })

  it('[REB-4.16] [REB-4.18] in the place of a log is set aside like a damaged one; beside a log it is, and the log stays', async () => {
    const open = () => SessionLog.open(folder, { redact: createRedactor([]), now: () => 1_000 })
    const { log: file } = sessionFiles(folder)
    const first = open()
    await first.append({ kind: 'assistant_text', text: 'one' })
    first.close()
    for (const side of ['-journal', '-wal', '-shm']) {
      rmSync(`${file}${side}`, { force: true })
      put(`${file}${side}`)
      const again = open()
      expect([side, again.logId, again.head]).toEqual([side, first.logId, 1])
      again.close()
    }
    rmSync(file)
    put(file)
    const next = open()
    expect(next.head).toBe(0)
    expect(next.logId).not.toBe(first.logId)
    next.close()
    expect(lstatSync(`${file}.broken-1000`).isFile()).toBe(false)
  })

  it('in the place of a policy: a link is its owner’s and followed, a pipe allows nothing and is named', () => {
    rmSync(foreign)
    writeFileSync(foreign, '{"version":1,"roots":["/usr"]}', { mode: 0o600 })
    mkdirSync(at('home/config'), { recursive: true, mode: 0o700 })
    put(at('home/config/policy.json'))
    const store = new PolicyStore(at('home/config/policy.json'), at('home'), realRoots)
    if (what === 'a link') expect(store.current().roots).toEqual(['/usr'])
    else expect(() => store.current()).toThrow(/cannot be used \(.*is a named pipe.*\), so this machine allows nothing/)
    writeFileSync(foreign, 'precious '.repeat(2_000))
  })

  it('in the agent’s own state is said at the start', () => {
    const home = agentHome({ ROUNDHOUSE_AGENT_HOME: at('home') })
    requireWritableHome(home, probeWrite)
    for (const file of [home.identityFile, home.chainFile, home.digestKeyFile, home.verbsLog]) {
      put(file)
      expect(() => requireWritableHome(home, probeWrite)).toThrow(inTheWay(file, what))
      rmSync(file)
    }
  })
})

describe('[STORE-5.18] a link to somebody’s folder', () => {
  it('goes where a folder is emptied, erased or listed, and what is in that folder stays', async () => {
    mkdirSync(at('other'))
    for (const name of ['kept', 'kept.tmp']) writeFileSync(path.join(at('other'), name), '')
    for (const name of ['spool', 'session', 'erasing']) symlinkSync(at('other'), at(name))
    expect(readSpool(at('spool'))).toEqual([])
    await eraseFolder(at('session'))
    const erasures = new Erasures(at('erasing'))
    expect(erasures.all()).toEqual([])
    erasures.begin('ses_1')
    expect(new Erasures(at('erasing')).all()).toEqual(['ses_1'])
    expect(readdirSync(at('other')).sort()).toEqual(['kept', 'kept.tmp'])
    expect(readdirSync(folder).sort()).toEqual(['erasing', 'foreign', 'other', 'spool'])
  })
})
