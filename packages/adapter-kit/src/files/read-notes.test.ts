import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isInside, readOrdinary, readStart, readUnlinked } from './read-notes'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rh-notes-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('a folder holds itself and what lies below it, and no namesake', () => {
  expect(['/a', '/a/b', '/ab', '/'].map((path) => isInside(path, ['/a']))).toEqual([true, true, false, false])
  expect(isInside('/a', ['/'])).toBe(true)
})

it('reads the beginning of an ordinary file alone: no link, pipe or folder', async () => {
  const at = (name: string) => join(folder, name)
  writeFileSync(at('notes'), 'Mind the gap.')
  symlinkSync(at('notes'), at('link'))
  spawnSync('mkfifo', [at('pipe')])
  expect(await readStart(at('notes'), 4)).toBe('Mind')
  for (const other of [at('link'), at('pipe'), folder, at('none')]) expect(await readStart(other, 4)).toBeUndefined()
})

it('reads an ordinary file as a whole or not at all, and tells a link from a file', async () => {
  const at = (name: string) => join(folder, name)
  writeFileSync(at('notes'), 'Mind the gap.')
  symlinkSync(at('notes'), at('link'))
  symlinkSync('/dev/zero', at('endless'))
  spawnSync('mkfifo', [at('pipe')])
  expect([await readOrdinary(at('link'), 13), await readUnlinked(at('notes'), 13)]).toEqual([
    'Mind the gap.',
    'Mind the gap.',
  ])
  expect([await readOrdinary(at('notes'), 12), await readUnlinked(at('link'), 13)]).toEqual([undefined, undefined])
  for (const other of [at('endless'), at('pipe'), folder, at('none')])
    expect(await readOrdinary(other, 13)).toBeUndefined()
})
