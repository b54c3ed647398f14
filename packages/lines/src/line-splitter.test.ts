import { describe, expect, it } from 'vitest'
import { LineSplitter } from './line-splitter'

const line = (text: string) => ({ kind: 'line', text })

describe('LineSplitter', () => {
  it('gives whole lines, however the bytes are cut', () => {
    const text = 'one\ntwö €\n\nfour\n'
    for (let size = 1; size <= text.length; size += 1) {
      const lines = new LineSplitter()
      const bytes = Buffer.from(text)
      const seen = []
      for (let at = 0; at < bytes.length; at += size) seen.push(...lines.push(bytes.subarray(at, at + size)))
      expect(seen).toEqual([line('one'), line('twö €'), line(''), line('four')])
    }
  })

  it('keeps an unfinished line to itself until the stream ends', () => {
    const lines = new LineSplitter()
    expect(lines.push(Buffer.from('whole\n{"half":'))).toEqual([line('whole')])
    expect(lines.end()).toEqual([line('{"half":')])
    expect(lines.end()).toEqual([])
  })

  it('[LOG-8.3] of a line over the limit keeps the ends, says how long it was, and goes on with the next', () => {
    const lines = new LineSplitter(10)
    expect(lines.push(Buffer.from('exactly 10\nshort\n'))).toEqual([line('exactly 10'), line('short')])
    expect([
      ...lines.push(Buffer.from('far too')),
      ...lines.push(Buffer.from(' long to keep')),
      ...lines.push(Buffer.from('!\nok\n')),
    ]).toEqual([
      { kind: 'too_long', bytes: 21, head: 'far too long to keep', tail: 'far too long to keep!' },
      line('ok'),
    ])
  })

  it('[I9] keeps 8 KiB of a line of 200 MiB', () => {
    const lines = new LineSplitter()
    const piece = Buffer.alloc(65_536, 'x')
    lines.push(Buffer.from('the beginning '))
    const before = process.memoryUsage().arrayBuffers
    for (let n = 0; n < 3_200; n += 1) lines.push(Buffer.from(piece))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 * 1024 * 1024)
    const [dropped] = lines.push(Buffer.from(' the end\n'))
    expect(dropped).toMatchObject({ kind: 'too_long', bytes: 14 + 3_200 * 65_536 + 8 })
    expect(dropped?.kind === 'too_long' && [dropped.head.slice(0, 15), dropped.tail.slice(-9)]).toEqual([
      'the beginning x',
      'x the end',
    ])
    expect(dropped?.kind === 'too_long' && [dropped.head.length, dropped.tail.length]).toEqual([4096, 4096])
  })

  it('takes a line of 32 MiB in 8,192 pieces: copying it again for each would be 128 GiB', () => {
    const lines = new LineSplitter()
    const piece = Buffer.alloc(4096, 'x')
    const pieces = 8192
    let early = 0
    for (let n = 0; n < pieces; n += 1) early += lines.push(piece).length
    const [whole] = lines.push(Buffer.from('\n'))
    expect([early, whole?.kind === 'line' && whole.text.length]).toEqual([0, 4096 * pieces])
  })
})
