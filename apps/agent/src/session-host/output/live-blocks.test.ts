import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LiveFrame } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { createRedactor } from '../../redact/redactor'
import { emptySpool, readSpool } from '../journal/spool'
import { LiveBlocks } from './live-blocks'

const header = { blockId: 'b1', procId: 'p1', kind: 'assistant_text', afterSeq: 7, turnId: 't1' } as const

let dir: TempDir
let frames: LiveFrame[]
let live: LiveBlocks
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  dir = tempDir('live')
  frames = []
  live = new LiveBlocks({
    sessionId: 's1',
    folder: dir.path,
    redact: createRedactor([]),
    send: (sent) => frames.push(...sent),
  })
})
afterEach(() => {
  vi.useRealTimers()
  dir.remove()
})

describe('[LOG-5] live blocks', () => {
  it('send frames that follow one another, with the head at which the block began', () => {
    live.add(header, 'one two ')
    vi.advanceTimersByTime(50)
    live.add(header, 'three four ')
    vi.advanceTimersByTime(50)
    expect(frames).toEqual([
      { sessionId: 's1', ...header, offset: 0, text: 'one two ' },
      { sessionId: 's1', ...header, offset: 8, text: 'three four ' },
    ])
  })

  it('[F18] go on when the clock of the machine is set back', () => {
    live.add(header, 'one ')
    vi.advanceTimersByTime(50)
    vi.setSystemTime(Date.now() - 3_600_000)
    live.add(header, 'two ')
    vi.advanceTimersByTime(50)
    expect(frames.map(({ text }) => text)).toEqual(['one ', 'two '])
  })

  it('send at most thirty times a second for the whole session', () => {
    let batches = 0
    const many = new LiveBlocks({
      sessionId: 's1',
      folder: join(dir.path, 'many'),
      redact: createRedactor([]),
      send: () => {
        batches += 1
      },
    })
    for (let ms = 0; ms < 1_000; ms++) {
      many.add({ ...header, blockId: `b${ms % 3}` }, 'word ')
      vi.advanceTimersByTime(1)
    }
    expect(batches).toBeGreaterThan(20)
    expect(batches).toBeLessThanOrEqual(31)
  })

  it('hold the unfinished word back for a quarter of a second at most', () => {
    live.add(header, 'unfinished')
    vi.advanceTimersByTime(200)
    expect(frames).toEqual([])
    vi.advanceTimersByTime(100)
    expect(frames.map(({ text }) => text)).toEqual(['unfinished'])
  })

  it('run no timer when nothing is written', () => {
    live.add(header, 'a word ')
    vi.advanceTimersByTime(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are on the disk before they are sent, and can be read again', () => {
    live.add(header, 'one two thr')
    expect(frames).toEqual([])
    expect(readSpool(dir.path)).toEqual([{ ...header, text: 'one two ' }])
    expect(live.read('b1', 4)).toEqual({ text: 'two ', length: 8 })
  })

  it('keep the spooled text until the finished event is in the log', () => {
    live.add(header, 'one two ')
    const finished = live.finish('b1')
    expect(readdirSync(dir.path)).toHaveLength(1)
    expect(live.openBlocks()).toEqual([])
    finished()
    expect(readdirSync(dir.path)).toEqual([])
  })

  it('take an abandoned attempt back', () => {
    live.add(header, 'one two ')
    live.discard('b1')
    expect(frames.at(-1)).toMatchObject({ blockId: 'b1', discarded: true })
    expect(readdirSync(dir.path)).toEqual([])
  })

  it('tell how much of a block was sent, so that the next frame follows on', () => {
    live.add(header, 'one two ')
    expect(live.openBlocks()).toMatchObject([{ blockId: 'b1', length: 0 }])
    vi.advanceTimersByTime(50)
    expect(live.openBlocks()).toMatchObject([{ blockId: 'b1', length: 8 }])
  })

  it('show no secret that comes in pieces', () => {
    for (const piece of `key ghp_${'a1B2'.repeat(9)} end `.match(/.{1,3}/g) ?? []) {
      live.add(header, piece)
      vi.advanceTimersByTime(20)
    }
    vi.advanceTimersByTime(300)
    expect(frames.map(({ text }) => text).join('')).toBe('key [redacted:github-token] end ')
  })
})

describe('[LOG-5.7] the spool of a dead host', () => {
  it('is read in the order in which the blocks began, torn ends left out', () => {
    const line = (blockId: string) => `${JSON.stringify({ ...header, blockId })}\n`
    writeFileSync(join(dir.path, '10.block'), `${line('tenth')}ten`)
    writeFileSync(join(dir.path, '2.block'), Buffer.concat([Buffer.from(`${line('second')}caf`), Buffer.from([0xc3])]))
    writeFileSync(join(dir.path, '3.block'), '{"blockId":"to')
    expect(readSpool(dir.path).map(({ blockId, text }) => [blockId, text])).toEqual([
      ['second', 'caf'],
      ['tenth', 'ten'],
    ])
    emptySpool(dir.path)
    expect(readdirSync(dir.path)).toEqual([])
  })
})
