import { describe, expect, it } from 'vitest'
import { createLineReader, type LineEnds } from './lines'

function read(chunks: Buffer[], limit?: number) {
  const seen: Array<string | LineEnds> = []
  const reader = createLineReader({ line: (text) => seen.push(text), tooLong: (ends) => seen.push(ends) }, limit)
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return seen
}
const bytes = (...texts: string[]) => texts.map((text) => Buffer.from(text))

describe('createLineReader', () => {
  it('joins what was cut anywhere, also inside a character', () => {
    const whole = Buffer.from('one\ngrüß\n\nlast')
    for (let at = 0; at <= whole.length; at += 1) {
      expect(read([whole.subarray(0, at), whole.subarray(at)])).toEqual(['one', 'grüß', 'last'])
    }
  })

  it('[LOG-8] of a line over the limit keeps the ends, says how long it was, and goes on', () => {
    expect(read(bytes('ok\n', '12345', '67890', 'x\nok again\n'), 10)).toEqual([
      'ok',
      { bytes: 11, head: '1234567890x', tail: '1234567890x' },
      'ok again',
    ])
  })

  it('[I9] of a line over the limit the first and the last 4 KiB are kept, whatever comes in between', () => {
    const [ends] = read(
      [...bytes('begin '), ...Array.from({ length: 100 }, () => Buffer.alloc(65_536, 97)), ...bytes(' end\n')],
      1e6,
    )
    expect(ends).toEqual({ bytes: 6_553_610, head: `begin ${'a'.repeat(4090)}`, tail: `${'a'.repeat(4092)} end` })
  })

  it('a line of many pieces is joined once, not once for each piece', () => {
    const piece = Buffer.alloc(1024, 97)
    const pieces = Array.from({ length: 32 * 1024 }, () => piece)
    const [line] = read([...pieces, Buffer.from('\n')])
    expect(String(line).length).toBe(32 * 1024 * 1024)
  })
})
