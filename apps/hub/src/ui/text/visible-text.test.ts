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
    for (const text of ['a\n\tb', 'Grüße', 'שלום', '日本語', '🙂', '⚠️ Stop', 'नमस्ते', 'ไทย'])
      expect(piecesOf(text)).toEqual([{ kind: 'text', text }])
  })

  it('finds characters of the tag block, which draw nothing at all', () => {
    expect(piecesOf('ls \u{E0041}')).toContainEqual({ kind: 'hidden', text: '\u{E0041}', label: 'U+E0041' })
  })

  it.each([
    ['a blank of Braille', '\u2800'],
    ['a sign that chooses a form, with nothing before it that has two', '\ufe0f'],
    ['signs of music', '\u{1d173}'],
    ['signs of shorthand', '\u{1bca0}'],
    ['what is kept free for such signs', '\ufff0'],
    ['tags that nobody has given out yet', '\u{e01f0}'],
    ['the last of them', '\u{e0fff}'],
    ['a filler', '\u3164'],
    ['the end of a line', '\u2028'],
  ])('[PERM-7.13] makes %s visible', (_what, sign) => {
    expect(piecesOf(`rm build${sign}/x`)).toHaveLength(3)
    expect(piecesOf(`rm build${sign}/x`)).toContainEqual(expect.objectContaining({ kind: 'hidden', text: sign }))
  })

  it('[PERM-7.13] misses none of those that are known to draw nothing', () => {
    const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u2800]/u
    const missed: string[] = []
    for (let point = 0; point <= 0x10ffff; point++) {
      const sign = String.fromCodePoint(point)
      if (unseen.test(sign) && piecesOf(`a${sign}`).length !== 2) missed.push(point.toString(16))
    }
    expect(missed).toEqual([])
  })
})
