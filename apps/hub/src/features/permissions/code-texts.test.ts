import { expect, it } from 'vitest'
import { oddNote } from '../../ui/text/odd-text'
import { codeTextsOf } from './code-texts'

const noteOn = (members: Array<[string, unknown]>) => oddNote(codeTextsOf({ kind: 'none' }, members, '/code'))

it('[PERM-7.15] an empty member of the input is no space at the end of a line', () => {
  expect(noteOn([['before', '']])).toBeNull()
  expect(noteOn([['before', 'a ']])).toBe('It contains spaces at the end of a line.')
  expect(noteOn([['befоre', 'a']])).toContain('о (Cyrillic, U+043E)')
})
