import { describe, expect, it } from 'vitest'
import { piecesOf } from './visible-text'

describe('piecesOf', () => {
  it('[PERM-7.13] makes bidirectional, zero-width and control characters visible', () => {
    expect(piecesOf('a\u202Eb\u200Bc\u0007')).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'hidden', text: '\u202E', label: 'U+202E' },
      { kind: 'text', text: 'b' },
      { kind: 'hidden', text: '\u200B', label: 'U+200B' },
      { kind: 'text', text: 'c' },
      { kind: 'hidden', text: '\u0007', label: 'U+0007' },
    ])
  })

  it('leaves line breaks, tabs and ordinary text of any script alone', () => {
    for (const text of ['a\n\tb', 'Grüße', 'שלום', '日本語', '🙂'])
      expect(piecesOf(text)).toEqual([{ kind: 'text', text }])
  })

  it('finds characters of the tag block, which draw nothing at all', () => {
    expect(piecesOf('ls \u{E0041}')).toContainEqual({ kind: 'hidden', text: '\u{E0041}', label: 'U+E0041' })
  })
})
