import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { LineReader } from './line-reader'

function reader() {
  const stream = new PassThrough()
  const lines: string[] = []
  return { stream, lines, reader: new LineReader(stream, (line) => lines.push(line)) }
}

it('a line may come in any pieces, also in the middle of a letter', async () => {
  const {
    stream,
    lines,
    reader: { finished },
  } = reader()
  const bytes = Buffer.from('grüße\nzwei\n')
  for (const byte of bytes) stream.write(Buffer.of(byte))
  stream.end()
  await finished
  expect(lines).toEqual(['grüße', 'zwei'])
})

it('what is left of an unfinished line comes when the stream closes', async () => {
  const {
    stream,
    lines,
    reader: { finished },
  } = reader()
  stream.end('whole\nhalf')
  await finished
  expect(lines).toEqual(['whole', 'half'])
})

it('nothing comes while reading is off, not even from a piece that was half given out', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  const paused: LineReader = new LineReader(stream, (line) => {
    lines.push(line)
    if (line === 'b') paused.setReading(false)
  })
  stream.end('a\nb\nc\nd')
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toEqual(['a', 'b'])
  paused.setReading(true)
  await paused.finished
  expect(lines).toEqual(['a', 'b', 'c', 'd'])
})
