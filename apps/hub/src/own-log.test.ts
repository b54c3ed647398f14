import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { logFile } from './own-log'

/** A file with room for so many bytes. */
function fileWith(room: number) {
  const file = { text: '', room }
  const append = (bytes: Buffer) => {
    if (file.room === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    const taken = bytes.subarray(0, file.room)
    file.text += taken.toString()
    file.room -= taken.length
    return taken.length
  }
  return { file, append }
}

describe('the log of a hub, in a file', () => {
  it('[FLOW-4] [STORE-7.15] a line that finds no room waits, and a line that was cut short is completed', () => {
    const { file, append } = fileWith(10)
    const log = logFile(append)
    for (const line of ['first\n', 'second\n', 'third\n']) log.write(line)
    expect(file.text).toBe('first\nseco')
    file.room = 1_000
    log.write('fourth\n')
    expect(file.text).toBe('first\nsecond\nthird\nfourth\n')
  })

  it('[FLOW-4] [STORE-7.16] no more waits than it may, and what is left out is whole lines', () => {
    const { file, append } = fileWith(0)
    const log = logFile(append, 12)
    for (const line of ['first\n', 'second one\n', 'third\n', 'fourth\n']) log.write(line)
    file.room = 1_000
    log.write('fifth\n')
    expect(file.text).toBe('first\nthird\nfifth\n')
  })

  it('[FLOW-4] whoever logs hears nothing of a disk that refuses', () => {
    const { append } = fileWith(0)
    const log = pino({}, logFile(append))
    expect(() => log.error({ err: new Error('any') }, 'something')).not.toThrow()
  })
})
