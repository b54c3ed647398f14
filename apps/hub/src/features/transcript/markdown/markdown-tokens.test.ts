import { describe, expect, it } from 'vitest'
import { withoutReferences } from './character-references'
import { type MarkedToken, markdownTokens, wordsOf } from './markdown-tokens'

const kinds = (text: string, streaming = false) => markdownTokens(text, streaming)?.map(({ type }) => type)
const words = (text: string, streaming = false) => wordsOf(markdownTokens(text, streaming) ?? [])
const inline = (text: string, streaming = false): MarkedToken[] => {
  const [first] = markdownTokens(text, streaming) ?? []
  return first && 'tokens' in first ? (first.tokens as MarkedToken[]) : []
}

describe('Markdown as tokens', () => {
  it('knows blocks and the marks in them', () => {
    expect(
      kinds('# a\n\nb\n\n- c\n\n> d\n\n```ts\ne\n```\n\n| f |\n|---|\n')?.filter((kind) => kind !== 'space'),
    ).toEqual(['heading', 'paragraph', 'list', 'blockquote', 'code', 'table'])
    expect(words('**a** `b` [c](http://d) \\*e &amp; &#60;&lt;')).toBe('a b c *e & <<')
  })

  it('[T68] markup in the text is text', () => {
    expect(words('x <img src=x onerror="y"> z')).toBe('x <img src=x onerror="y"> z')
    expect(words('<script>y</script>')).toBe('<script>y</script>')
  })

  it('what is open while it streams in counts as closed', () => {
    expect(inline('a **b', true).map(({ type }) => type)).toEqual(['text', 'strong'])
    expect(inline('a **b').map(({ type }) => type)).toEqual(['text'])
    expect(words('see [here](http://exa', true)).toBe('see here')
  })

  it.each(['* ', '- ', '-    ', '> ', '1. ', '*\t'])(
    '[A50] whether it is too deep is seen at once, also just below that: %j',
    (mark) => {
      // A pattern with two ways to read each blank takes longer than anybody waits.
      expect(markdownTokens(`${mark.repeat(39)}x`, false)).not.toBeNull()
    },
  )

  it('[A50] is no Markdown when it is thousands of levels deep, and a paragraph of marks without end keeps them', () => {
    for (const mark of ['>', '> ', '- ', '1. ', '- > ']) expect(markdownTokens(mark.repeat(5_000), false)).toBeNull()
    const marks = '_a_b'.repeat(15_000)
    expect(words(marks)).toBe(marks)
  })
})

describe('character references', () => {
  it('stand for what they name; what names nothing stays', () => {
    expect(withoutReferences('&amp;&#x41;&#66;&hellip; &nope; &constructor; &#0; &#xD800; &')).toBe(
      '&AB… &nope; &constructor; \ufffd \ufffd &',
    )
  })
})
