import { expect, it } from 'vitest'
import { RenameRequest } from './rest'

it.each([
  ['words', 'Mend the log, again ✅ – “now”', true],
  ['another script', 'מתקן 日本語 é', true],
  ['a line break', 'two\nlines', false],
  ['NUL', 'a\0b', false],
  ['an escape sequence', '\u001b[31mred', false],
  ['a change of direction', 'gpj.\u202exe', false],
  ['nothing', '', false],
  ['blanks alone', '  ', false],
])('a title of %s: %j is taken: %j', (_what, title, taken) => {
  expect(RenameRequest.safeParse({ title }).success).toBe(taken)
})
