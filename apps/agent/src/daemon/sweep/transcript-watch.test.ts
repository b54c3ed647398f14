import { appendFileSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { stateOf, type TranscriptSeen } from '../../log/transcript-seen'
import { TranscriptWatch } from './transcript-watch'

const LONG_AGO = 1_000_000

let dir: TempDir
let sessions: string[]
let looked: string[]
let awake: string[]
let asked: string[]
let reads: string[]
let watch: TranscriptWatch
let atOnce: number
let most: number
let hung: string[]
let lines: string[]
let clock: number
/** By how much somebody set the clock of the machine. */
let setBy: number
let whileReading: () => void
let unread: string[]

const fileOf = (sessionId: string) => join(dir.path, sessionId === 's1' ? 'net' : 'disk', sessionId)
function quiet(sessionId: string): void {
  utimesSync(fileOf(sessionId), LONG_AGO + reads.length + 1, LONG_AGO + reads.length + 1)
}
function goesOn(sessionId: string): void {
  appendFileSync(fileOf(sessionId), 'more\n')
  quiet(sessionId)
}

beforeEach(() => {
  dir = tempDir('watch')
  hung = []
  lines = []
  clock = 0
  setBy = 0
  whileReading = () => {}
  unread = []
  looked = []
  awake = []
  asked = []
  reads = []
  atOnce = 0
  most = 0
  sessions = Array.from({ length: 1_000 }, (_, index) => `s${index}`)
  const noted = new Map<string, TranscriptSeen>()
  for (const folder of ['net', 'disk']) mkdirSync(join(dir.path, folder))
  for (const sessionId of sessions) {
    writeFileSync(fileOf(sessionId), 'one\n')
    const seen = { backendSessionId: 'b', file: fileOf(sessionId), forked: 0 }
    noted.set(sessionId, { ...seen, ...stateOf(statSync(fileOf(sessionId))) })
  }
  watch = new TranscriptWatch(
    {
      sessions: () => sessions,
      isLooked: (sessionId) => looked.includes(sessionId),
      isAtRest: (sessionId) => !awake.includes(sessionId),
      logStamp: () => 1,
      seen: (sessionId) => {
        asked.push(sessionId)
        return noted.get(sessionId) ?? null
      },
      states: async (files) => {
        const folder = dirname(files[0] ?? '')
        if (hung.includes(folder))
          throw new CodedError('FOLDER_UNAVAILABLE', `${folder} does not answer.`, { path: folder })
        return Object.fromEntries(files.map((file) => [file, stateOf(statSync(file))]))
      },
      read: async (sessionId) => {
        reads.push(sessionId)
        if (unread.includes(sessionId)) return new Promise(() => {})
        whileReading()
        atOnce += 1
        most = Math.max(most, atOnce)
        await new Promise((resolve) => setImmediate(resolve))
        atOnce -= 1
      },
      now: () => Date.now() + clock + setBy,
      elapsed: () => performance.now() + clock,
      log: (line) => lines.push(line),
    },
    500,
  )
})
afterEach(() => dir.remove())

describe('[RES-9] the transcripts of sessions at rest', () => {
  it('are read where they changed, and not again before they change again', async () => {
    goesOn('s3')
    await watch.round()
    expect(reads).toEqual(['s3'])
    await watch.round()
    looked = ['s3']
    await watch.round()
    expect(reads).toEqual(['s3'])
    goesOn('s3')
    await watch.round()
    expect(reads).toEqual(['s3', 's3'])
  })

  it('are read where the clock was put back to before they changed, once they stand still', async () => {
    setBy = LONG_AGO * 1_000 - Date.now() - 3_600_000
    looked = ['s3']
    goesOn('s3')
    await watch.round()
    expect(reads).toEqual([])
    clock += 2_000
    await watch.round()
    expect(reads).toEqual(['s3'])
  })

  it('are read at once where somebody looks at the session, the others in their turn', async () => {
    goesOn('s900')
    goesOn('s999')
    looked = ['s999']
    await watch.round()
    expect(reads).toEqual(['s999'])
    for (let round = 0; round < 50; round++) await watch.round()
    expect(reads).toEqual(['s999', 's900'])
  })

  it('[FLOW-3] are looked at a few in each round, and read one after the other, however many changed', async () => {
    for (const sessionId of sessions) goesOn(sessionId)
    await watch.round()
    expect([asked.length, reads.length, most]).toEqual([20, 20, 1])
  })

  it('are left alone from the moment when the daemon leaves, in the midst of a round', async () => {
    for (const sessionId of sessions) goesOn(sessionId)
    whileReading = () => watch.stop()
    await watch.round()
    expect(reads).toEqual(['s0'])
  })

  it('[FLOW-7.10] are read where their folder answers, though that of another session does not, which is said once', async () => {
    hung = [dirname(fileOf('s1'))]
    goesOn('s1')
    goesOn('s2')
    looked = ['s1', 's2']
    await watch.round()
    await watch.round()
    expect(reads).toEqual(['s2'])
    expect(lines).toEqual([`turns made elsewhere are not seen: ${hung[0]} does not answer.`])
    hung = []
    clock += 60_000
    await watch.round()
    expect(reads).toEqual(['s2', 's1'])
  })

  it('[FLOW-7.10] are read though another one never comes to its end, which is read once, with its folder left alone', async () => {
    unread = ['s1', 's3']
    for (const sessionId of ['s1', 's3', 's4']) goesOn(sessionId)
    await watch.round()
    expect(reads).toEqual(['s1', 's3'])
    expect(lines).toEqual(unread.map((one) => `turns made elsewhere are not seen: ${fileOf(one)} is not read in time.`))
    clock += 60_000
    looked = ['s1', 's3', 's4']
    goesOn('s1')
    await watch.round()
    expect(reads).toEqual(['s1', 's3', 's4'])
  })

  it('are left alone while a host runs, and while somebody writes them', async () => {
    goesOn('s1')
    awake = ['s1']
    appendFileSync(fileOf('s2'), 'in the middle of a turn')
    await watch.round()
    expect(reads).toEqual([])
  })
})
