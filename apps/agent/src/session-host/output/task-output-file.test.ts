import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { OutputFileReader } from './task-output-file'

let dir: TempDir
let readers: OutputFileReader[]
const path = 'work/conversation/tasks/b1.output'
const secret = () => join(dir.path, 'secret')
const file = () => join(dir.path, 'claude', path)
beforeEach(() => {
  dir = tempDir('task-output')
  readers = []
  mkdirSync(dirname(file()), { recursive: true })
  writeFileSync(secret(), 'the secret\n')
})
afterEach(() => {
  for (const reader of readers) reader.close()
  dir.remove()
})
function reader({ most = 1_024, denied = [] as string[], at = path } = {}): OutputFileReader {
  const made = new OutputFileReader({ folder: join(dir.path, 'claude'), path: at }, most, () => denied)
  readers.push(made)
  return made
}

describe('the file of a command in the background', () => {
  it('is read as it grows, once it is there', () => {
    const reading = reader()
    expect(reading.read()).toBeNull()
    writeFileSync(file(), 'one\n')
    expect(reading.read()).toEqual({ text: 'one\n', skipped: false })
    expect(reading.read()).toBeNull()
    appendFileSync(file(), Buffer.from('caf\u00e9').subarray(0, 4))
    appendFileSync(secret(), 'more')
    expect(reading.read()).toEqual({ text: 'caf', skipped: false })
    appendFileSync(file(), Buffer.from('caf\u00e9').subarray(4))
    expect(reading.read()).toEqual({ text: '\u00e9', skipped: false })
  })

  it('is read from near its end where it is long, or became shorter', () => {
    writeFileSync(file(), `${'x'.repeat(5_000)}\nend\n`)
    const reading = reader({ most: 6 })
    expect(reading.read()).toEqual({ text: 'x\nend\n', skipped: true })
    truncateSync(file(), 3)
    expect(reading.read()).toEqual({ text: 'xxx', skipped: true })
  })

  it.each<[string, () => void]>([
    ['a link to a file', () => symlinkSync(secret(), file())],
    ['a second name of a file', () => linkSync(secret(), file())],
    ['a folder', () => mkdirSync(file())],
    ['a named pipe', () => expect(spawnSync('mkfifo', [file()]).status).toBe(0)],
    ['a device, by a link', () => symlinkSync('/dev/zero', file())],
    [
      'reached by a link to a folder',
      () => {
        const elsewhere = join(dir.path, 'elsewhere')
        mkdirSync(elsewhere)
        renameSync(secret(), join(elsewhere, 'b1.output'))
        rmSync(dirname(file()), { recursive: true })
        symlinkSync(elsewhere, dirname(file()))
      },
    ],
  ])('is not read where it is %s', (_, put) => {
    put()
    expect(reader().read()).toBeNull()
  })

  it("is not read outside the folder that is the program's, nor where the policy denies it", () => {
    writeFileSync(file(), 'one\n')
    expect(reader({ at: '../secret' }).read()).toBeNull()
    expect(reader({ at: 'work/../../secret' }).read()).toBeNull()
    expect(reader({ denied: [join(dir.path, 'claude')] }).read()).toBeNull()
    expect(reader({ denied: [file()] }).read()).toBeNull()
    expect(reader().read()).toEqual({ text: 'one\n', skipped: false })
  })

  it("is read where the folders above the program's are links", () => {
    writeFileSync(file(), 'one\n')
    const link = join(dir.path, 'link')
    symlinkSync(join(dir.path, 'claude'), link)
    const made = new OutputFileReader({ folder: link, path }, 1_024, () => [])
    readers.push(made)
    expect(made.read()).toEqual({ text: 'one\n', skipped: false })
  })
})
