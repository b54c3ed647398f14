import { describe, expect, it } from 'vitest'
import { titleIn } from './session-title'

describe('the title of a session that nobody named', () => {
  it.each([
    ['a text that fits, in one line', 'Mend the\n tests', 'Mend the tests'],
    ['one that fits exactly', 'Mend all of the tests', 'Mend all of the tests'],
    ['whole words and a mark', 'Mend all of the tests now', 'Mend all of the…'],
    ['no comma before the mark', 'Mend all of this, please', 'Mend all of this…'],
    ['words up to the limit', 'Mend all of the cell walls', 'Mend all of the cell…'],
    ['a single long word', 'x'.repeat(50), `${'x'.repeat(20)}…`],
    ['a long word after a short one', `ab ${'x'.repeat(50)}`, `ab ${'x'.repeat(17)}…`],
    ['no half of a character', `${'x'.repeat(19)}😀${'y'.repeat(9)}`, `${'x'.repeat(19)}…`],
  ])('is %s', (_what, text, title) => {
    expect(titleIn(text, 21)).toBe(title)
  })
})
