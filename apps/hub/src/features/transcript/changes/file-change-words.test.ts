import type { FileChange } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { changeWords, restWords } from './file-change-words'
import type { DrawnChange } from './input-detail'

const write: DrawnChange = { kind: 'write', path: 'a', text: 'x' }
const edit: DrawnChange = { kind: 'edit', path: 'a', before: 'x', after: 'y', everywhere: false }
const everywhere: DrawnChange = { ...edit, everywhere: true }
const makes: DrawnChange = { ...edit, before: '' }
const there: FileChange = { path: 'a', was: 'file', lines: 1_200, diff: '@@', added: 1, removed: 1 }
const away: FileChange = { path: 'a', was: 'missing' }
const unseen = (why: string, was: FileChange['was'] = 'file'): FileChange => ({ path: 'a', was, unseen: why })

describe('[PERM-7] what is said of a file that is to change', () => {
  it.each<[words: string | null, change: DrawnChange, found: FileChange | undefined]>([
    ['New file.', write, away],
    ['Replaces an existing file of 1,200 lines.', write, there],
    ['Replaces an existing file of 1 line.', write, { ...there, lines: 1 }],
    ['The file exists and has this text already.', write, { ...there, diff: '' }],
    [
      'Replaces an existing file of 1,200 lines. Windows line endings (CRLF) are not compared.',
      write,
      { ...there, crlf: true },
    ],
    ['Changes an existing file of 1,200 lines.', edit, { ...there, places: 1 }],
    ['Replaces 1,200 places in a file of 1,200 lines.', everywhere, { ...there, places: 1_200 }],
    ['Replaces 1 place in a file of 1,200 lines.', everywhere, { ...there, places: 1 }],
    ['The text to replace is not in the file as it is now.', edit, { ...there, places: 0 }],
    ['The text to replace is in the file 3 times.', edit, { ...there, places: 3 }],
    ['This file does not exist.', edit, away],
    ['New file.', makes, away],
    ['Replaces something that exists. It is too large to be compared.', write, unseen('too_large')],
    ['Changes something that exists. It is not UTF-8 text, so it was not compared.', edit, unseen('not_text')],
    [
      'Nobody knows whether this file exists. It is outside the folders of this session, so the machine did not look at it.',
      write,
      unseen('outside', 'unknown'),
    ],
    ['Replaces something that exists. The machine did not compare it (on_tape).', write, unseen('on_tape')],
    ['The machine did not say whether this file exists.', write, undefined],
    ['The machine did not compare this with the file.', edit, undefined],
    ['Deletes the file.', { kind: 'delete', path: 'a', text: 'x' }, undefined],
    [null, { kind: 'patch', path: 'a', diff: '@@' }, undefined],
  ])('%s', (words, change, found) => {
    expect(changeWords(change, found, true)).toBe(words)
  })

  it('is nothing of a call that nobody was asked about', () => {
    expect(changeWords(write, undefined, false)).toBeNull()
  })

  it('says how much there is of a change that is not shown whole', () => {
    expect(restWords(there)).toBeNull()
    expect(restWords({ ...there, diffCut: true, added: 4_000 })).toContain('4,000 lines added, 1 line removed.')
  })
})
