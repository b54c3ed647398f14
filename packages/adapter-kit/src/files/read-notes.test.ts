import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isInside, readStart } from './read-notes'

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
