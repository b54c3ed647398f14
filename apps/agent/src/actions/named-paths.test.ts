import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { linkedPlaces, realPathOf, realPathsOf } from './named-paths'

let root: string
const at = (...parts: string[]) => path.join(root, ...parts)
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-named-')))
  for (const folder of ['work', 'other', 'other/deep']) mkdirSync(at(folder))
  writeFileSync(at('other/file'), 'x')
  symlinkSync(at('other'), at('work/link'))
  symlinkSync('../other/deep', at('work/relative'))
  symlinkSync(at('other/not-yet'), at('work/to-nothing'))
  symlinkSync(at('work/circle'), at('work/circle'))
})
afterEach(() => rmSync(root, { recursive: true }))

describe('[A25] [A42] where a path really leads', () => {
  it.each([
    ['a file', 'other/file', 'other/file'],
    ['a file behind a link', 'work/link/file', 'other/file'],
    ['a file that is not there yet, behind a link', 'work/link/new/deep.txt', 'other/new/deep.txt'],
    ['a link to nothing, which writing would follow', 'work/to-nothing', 'other/not-yet'],
    ['what lies above the place where a link led', 'work/relative/../file', 'other/file'],
    ['what lies above what is not there', 'work/none/../link/file', 'other/file'],
  ])('%s', (_what, asked, real) => {
    expect(realPathOf(`${root}/${asked}`)).toBe(at(real))
  })

  it('a circle of links ends, and so does a path of thousands of steps', () => {
    expect(realPathOf(at('work/circle/x'))).toBe(at('work/circle/x'))
    expect(realPathOf(`${root}${'/x'.repeat(2_000)}`)).toHaveLength(root.length + 4_000)
    // Step by step, and never from the beginning: these would take hours.
    expect(realPathOf(`${root}${'/x'.repeat(500_000)}`)).toHaveLength(root.length + 1_000_000)
    expect(realPathOf(`${root}${'/x'.repeat(250_000)}${'/..'.repeat(250_000)}`)).toBe(root)
  })

  it('a name is read both ways: put together first, and step by step', () => {
    expect(realPathsOf('relative/../file', at('work'))).toEqual([at('work/file'), at('other/file')])
    expect(realPathsOf('plain', at('work'))).toEqual([at('work/plain')])
  })
})

it('[PERM-8.5] names the links of an input, and nothing that leads straight', () => {
  expect(linkedPlaces({ file_path: 'plain.txt', content: 'link/x' }, at('work'))).toEqual([])
  expect(linkedPlaces({ command: 'touch link/x ./plain' }, at('work'))).toEqual([
    { name: 'link/x', real: [at('other/x')] },
  ])
})
