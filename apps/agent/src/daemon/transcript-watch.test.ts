import { appendFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../packages/adapter-testkit/src/temp-dir'
import { stateOf, type TranscriptSeen } from '../log/transcript-seen'
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

const fileOf = (sessionId: string) => join(dir.path, sessionId)
function quiet(sessionId: string): void {
  utimesSync(fileOf(sessionId), LONG_AGO + reads.length + 1, LONG_AGO + reads.length + 1)
}
function goesOn(sessionId: string): void {
  appendFileSync(fileOf(sessionId), 'more\n')
  quiet(sessionId)
}

beforeEach(() => {
  dir = tempDir('watch')
  looked = []
  awake = []
  asked = []
  reads = []
  atOnce = 0
  most = 0
  sessions = Array.from({ length: 1_000 }, (_, index) => `s${index}`)
  const noted = new Map<string, TranscriptSeen>()
  for (const sessionId of sessions) {
    writeFileSync(fileOf(sessionId), 'one\n')
    const seen = { backendSessionId: 'b', file: fileOf(sessionId), forked: 0 }
    noted.set(sessionId, { ...seen, ...stateOf(statSync(fileOf(sessionId))) })
  }
  watch = new TranscriptWatch({
    sessions: () => sessions,
    isLooked: (sessionId) => looked.includes(sessionId),
    isAtRest: (sessionId) => !awake.includes(sessionId),
    logStamp: () => 1,
    seen: (sessionId) => {
      asked.push(sessionId)
      return noted.get(sessionId) ?? null
    },
    read: async (sessionId) => {
      reads.push(sessionId)
      atOnce += 1
      most = Math.max(most, atOnce)
      await new Promise((resolve) => setImmediate(resolve))
      atOnce -= 1
    },
    now: Date.now,
    log: () => {},
  })
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
    const round = watch.round()
    watch.stop()
    await round
    expect(reads).toEqual(['s0'])
  })

  it('are left alone while a host runs, and while somebody writes them', async () => {
    goesOn('s1')
    awake = ['s1']
    appendFileSync(fileOf('s2'), 'in the middle of a turn')
    await watch.round()
    expect(reads).toEqual([])
  })
})
