import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isWithoutLinks } from './git-layout'

let top: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(tmpdir(), 'roundhouse-layout-')))
  mkdirSync(path.join(top, 'one/two'), { recursive: true })
  writeFileSync(path.join(top, 'one/two/file'), '')
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

describe('[PERM-10.4] a folder without links', () => {
  it('has none at any depth, also none to nothing', () => {
    expect(isWithoutLinks(top)).toBe(true)
    symlinkSync('nothing', path.join(top, 'one/two/link'))
    expect(isWithoutLinks(top)).toBe(false)
  })

  it('is none that nobody knows, with more entries than are looked at', () => {
    expect(isWithoutLinks(top, 3)).toBe(true)
    expect(isWithoutLinks(top, 2)).toBe(false)
  })
})
