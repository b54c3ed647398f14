import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { LineEnds } from '@roundhouse/lines'
import { expect, it } from 'vitest'
import { LineReader } from './line-reader'

function reader() {
  const stream = new PassThrough()
  const lines: Array<string | LineEnds> = []
  const take = (line: string | LineEnds) => void lines.push(line)
  new LineReader(stream, { line: take, tooLong: take }, 1_000_000)
  return { stream, lines }
}

it('a line may come in any pieces, also in the middle of a letter', async () => {
  const { stream, lines } = reader()
  const bytes = Buffer.from('grüße\nzwei\n')
  for (const byte of bytes) stream.write(Buffer.of(byte))
  stream.end()
  await once(stream, 'close')
  expect(lines).toEqual(['grüße', 'zwei'])
})

it('what is left of an unfinished line comes when the stream closes', async () => {
  const { stream, lines } = reader()
  stream.end('whole\nhalf')
  await once(stream, 'close')
  expect(lines).toEqual(['whole', 'half'])
})

it('nothing comes while reading is off, not even from a piece that was half given out', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  const line = (text: string) => {
    lines.push(text)
    if (text === 'b') paused.setReading(false)
  }
  const paused: LineReader = new LineReader(stream, { line, tooLong: () => {} })
  stream.end('a\nb\nc\nd')
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toEqual(['a', 'b'])
  paused.setReading(true)
  expect(lines).toEqual(['a', 'b', 'c', 'd'])
})

it('[LOG-8] a line over the limit comes as its ends, and the next one is whole', async () => {
  const { stream, lines } = reader()
  for (let n = 0; n < 100; n += 1) stream.write('a'.repeat(65_536))
  stream.end(' end\nnext')
  await once(stream, 'close')
  expect(lines).toEqual([expect.objectContaining({ bytes: 6_553_604, tail: `${'a'.repeat(4092)} end` }), 'next'])
})
