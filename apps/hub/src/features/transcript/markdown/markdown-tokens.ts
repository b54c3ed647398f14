/**
 * Parses Markdown to a tree of tokens, never to HTML. Markup in the text stays text. While a text streams in, open marks
 * count as closed, so that no mark appears for a moment. Pure.
 */
import { Lexer, type MarkedToken } from 'marked'
import remend from 'remend'
import { withoutReferences } from './character-references'

export type { MarkedToken } from 'marked'

/** Each mark at the start of a line adds a level, and a tree of thousands would block the page. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){40}/m
/** A longer paragraph keeps its marks: parsing many marks in one line takes too long. */
const INLINE_CHARS = 4_000

/** `null`: do not parse the text as Markdown; show it unchanged. */
export function markdownTokens(text: string, streaming: boolean): MarkedToken[] | null {
  if (TOO_DEEP.test(text)) return null
  try {
    return lexed(streaming ? closed(text) : text)
  } catch {
    return null
  }
}

function lexed(text: string): MarkedToken[] {
  const lexer = new Lexer({ gfm: true })
  lexer.blockTokens(text.replace(/\r\n?/g, '\n'), lexer.tokens)
  for (const { src, tokens } of lexer.inlineQueue) {
    if (src.length <= INLINE_CHARS) lexer.inlineTokens(src, tokens)
    else tokens.push({ type: 'text', raw: src, text: src })
  }
  return childrenOf(lexer)
}

export function childrenOf({ tokens }: { tokens?: unknown[] | undefined }): MarkedToken[] {
  return (tokens ?? []) as MarkedToken[]
}

/** The text of these tokens without formatting. */
export function wordsOf(tokens: readonly MarkedToken[]): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? wordsOf(childrenOf(token)) : literal(token)))
    .join('')
}

/** The text of a token without children. */
export function literal(token: MarkedToken): string {
  if (token.type === 'text') return withoutReferences(token.text)
  if (token.type === 'escape' || token.type === 'codespan') return token.text
  return token.raw
}

function closed(text: string): string {
  return remend(text, { katex: false, htmlTags: false, linkMode: 'text-only' })
}
