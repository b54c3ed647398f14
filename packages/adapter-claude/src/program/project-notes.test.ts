import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readProjectNotes } from './project-notes'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'notes-')))
  mkdirSync(join(root, 'real/secret'), { recursive: true })
  writeFileSync(join(root, 'real/secret/CLAUDE.md'), 'Not for the model.')
  symlinkSync(join(root, 'real'), join(root, 'link'))
})
afterEach(() => rmSync(root, { recursive: true }))

it.each(['real/secret', 'link/secret', 'real', 'link'])(
  '[POL-5] notes in a place that the policy denies as %s are not read',
  async (denied) => {
    expect(await readProjectNotes({ workDir: join(root, 'real/secret'), denied: [join(root, denied)] })).toBeUndefined()
  },
)

it('[POL-5] notes of another place are', async () => {
  expect(await readProjectNotes({ workDir: join(root, 'real/secret'), denied: [join(root, 'elsewhere')] })).toBe(
    'Not for the model.',
  )
})
