import { describe, expect, it } from 'vitest'
import { codePieces, oddNote } from './odd-text'

const marked = (text: string) => codePieces(text).flatMap((piece) => (piece.kind === 'text' ? [] : [piece.label]))

describe('[PERM-7.14] [PERM-7.15] what looks like something else in a command', () => {
  it.each([
    ['one Cyrillic letter in a Latin word', 'p\u0430ypal.sh', ['Cyrillic, U+0430']],
    [
      'a word of look-alikes alone',
      '\u0441\u043e\u0440\u0443 x',
      ['Cyrillic, U+0441', 'Cyrillic, U+043E', 'Cyrillic, U+0440', 'Cyrillic, U+0443'],
    ],
    ['a Greek letter', 'c\u03bft', ['Greek, U+03BF']],
    ['fullwidth signs', 'rm \uff0d\uff52\uff46 \uff0f', ['U+FF0D', 'U+FF52', 'U+FF46', 'U+FF0F']],
    ['letters of mathematics', '\u{1d5cb}m', ['U+1D5CB']],
    ['a slash that is none', 'a\u2215b\u2044c', ['U+2215', 'U+2044']],
    ['a semicolon that is none', 'a\u037e b', ['U+037E']],
    ['a dash for a minus sign', 'rm \u2013rf x', ['U+2013']],
    ['spaces that are none', 'a\u00a0b\u3000c\u202fd', ['U+00A0', 'U+3000', 'U+202F']],
    ['spaces at the end of a line', 'a \\  \nb\t\n', ['2 spaces', 'space']],
    ['and what cannot be seen, as before', 'a\u200bb', ['U+200B']],
  ])('%s', (_what, text, labels) => {
    expect(marked(text)).toEqual(labels)
    expect(
      codePieces(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
  })

  it.each([
    'git commit -m "Größe für Ärger – naïve façade"',
    'echo привет мир, как дела',
    'grep 日本語 GPUを.txt',
    'echo שלום 🙂 x² 5 µm',
    'ls -la\n  indented\n',
    "echo '—' \u2026",
    '',
  ])('leaves honest text of any script alone: %j', (text) => {
    expect(marked(text)).toEqual([])
    expect(oddNote([text])).toBeNull()
  })

  it('takes no longer for what is made to take long', () => {
    const long = `a${' '.repeat(300_000)}b${'\u2013'.repeat(100_000)} ${'\u0430'.repeat(100_000)}x`
    expect(marked(long)).toHaveLength(100_000)
  })

  it('says so in one line', () => {
    expect(oddNote(['c\u0430t x ', 'a\u00a0b'])).toBe(
      'It contains characters that look like others: \u0430 (Cyrillic, U+0430); spaces that are no ordinary spaces: U+00A0; spaces at the end of a line.',
    )
    expect(oddNote(['\uff41\uff42\uff43\uff44\uff45\uff46'])).toContain('and others')
  })
})
