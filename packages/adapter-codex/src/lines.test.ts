import { describe, expect, it } from 'vitest'
import { createLineReader } from './lines'

function read(chunks: Buffer[], limit?: number) {
  const seen: Array<string | number> = []
  const reader = createLineReader({ line: (text) => seen.push(text), tooLong: (bytes) => seen.push(bytes) }, limit)
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

  it('drops a line over the limit whole, says how long it was, and goes on', () => {
    expect(read(bytes('ok\n', '12345', '67890', 'x\nok again\n'), 10)).toEqual(['ok', 11, 'ok again'])
  })

  it('a line of many pieces is joined once, not once for each piece', () => {
    const piece = Buffer.alloc(1024, 97)
    const pieces = Array.from({ length: 32 * 1024 }, () => piece)
    const [line] = read([...pieces, Buffer.from('\n')])
    expect(String(line).length).toBe(32 * 1024 * 1024)
  })
})
