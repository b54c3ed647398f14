import { describe, expect, it } from 'vitest'
import { countChanges, type DiffRow, editRows, patchRows, sideBySide } from './diff-rows'

const sign = { same: ' ', added: '+', removed: '-', hunk: '@' }
/** `-const [a] = 1`: the sign, and what differs in brackets. */
const shown = (rows: readonly DiffRow[]) =>
  rows.map(
    ({ kind, pieces }) => sign[kind] + pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join(''),
  )

describe('editRows', () => {
  it('marks the words that differ between two lines that replace each other', () => {
    expect(shown(editRows('first\nconst a = 1\nlast\n', 'first\nconst b = 1\nlast\n'))).toEqual([
      ' first',
      '-const [a] = 1',
      '+const [b] = 1',
      ' last',
    ])
  })

  it('leaves lines whole that have next to nothing in common', () => {
    expect(shown(editRows('return done\n', 'throw new Error("no such parser")\n'))).toEqual([
      '-return done',
      '+throw new Error("no such parser")',
    ])
  })

  it('shows a new text, and one that is gone, as whole lines', () => {
    expect(shown(editRows('', 'a\nb'))).toEqual(['+a', '+b'])
    expect(shown(editRows('a\n\n', ''))).toEqual(['-a', '-'])
    expect(editRows('', '')).toEqual([])
  })

  it('[PERM-7.1] gives every line of both texts, whatever is compared', () => {
    const before = Array.from({ length: 3_000 }, (_, n) => `old ${n}`).join('\n')
    const after = Array.from({ length: 3_000 }, (_, n) => `new ${n * 7}`).join('\n')
    expect(countChanges(editRows(before, after))).toEqual({ added: 3_000, removed: 3_000 })
  })
})

describe('patchRows', () => {
  it('reads a unified diff', () => {
    expect(shown(patchRows('@@ -1,2 +1,2 @@\n one\n-let x = two\n+let x = three\n'))).toEqual([
      '@@@ -1,2 +1,2 @@',
      ' one',
      '-let x = [two]',
      '+let x = [three]',
    ])
  })
})

describe('what is no line of the file', () => {
  it('has no sign of its own', () => {
    expect(shown(patchRows('@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file'))).toEqual([
      '@@@ -1 +1 @@',
      '-a',
      '+a',
      '@\\ No newline at end of file',
    ])
    expect(patchRows('')).toEqual([])
  })
})

describe('sideBySide', () => {
  it('puts what replaces each other on one line, and leaves the other side empty for what has no partner', () => {
    const pairs = sideBySide(patchRows('@@ -1 +1 @@\n a\n-b\n-c\n+d\n e\n+f'))
    const text = (row?: DiffRow) => row && shown([row])[0]
    expect(pairs.map(({ left, right }) => [text(left), text(right)])).toEqual([
      ['@@@ -1 +1 @@', undefined],
      [' a', ' a'],
      ['-b', '+d'],
      ['-c', undefined],
      [' e', ' e'],
      [undefined, '+f'],
    ])
  })
})
