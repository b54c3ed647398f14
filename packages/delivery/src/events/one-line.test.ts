import { expect, it } from 'vitest'
import { oneLine } from './one-line'

it.each([
  ['  two\n\n lines\t', 'two lines'],
  ['a\0b\u001b[31mc', 'a b [31mc'],
  ['x'.repeat(300), 'x'.repeat(200)],
])('%j becomes one line that can be seen', (text, line) => {
  expect(oneLine(text)).toBe(line)
})
