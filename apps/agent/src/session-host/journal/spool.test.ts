import fs, { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readSpool, SpoolFile } from './spool'

const header = { blockId: 'b', procId: 'p', kind: 'assistant_text', afterSeq: 3 } as const

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('[LOG-5.6] a text that the disk takes is found by the next host', () => {
  const spool = new SpoolFile(join(folder, '1.block'), header)
  spool.write('one ')
  spool.write('zwö')
  expect(spool.read()).toBe('one zwö')
  expect(readSpool(folder)).toEqual([{ ...header, text: 'one zwö' }])
  spool.remove()
  expect(existsSync(spool.path)).toBe(false)
})

it('[LOG-5] [F16] where the file cannot be made, the text is held', () => {
  const spool = new SpoolFile(join(folder, 'missing', '1.block'), header)
  spool.write('one ')
  spool.write('two')
  expect(spool.read()).toBe('one two')
  spool.remove()
})

it.skipIf(!fs.existsSync('/dev/full'))(
  '[LOG-5] [F16] a disk that is full takes nothing, and nothing is missing',
  () => {
    const spool = new SpoolFile('/dev/full', header)
    spool.write('one ')
    spool.write('two')
    expect(spool.read()).toBe('one two')
  },
)
