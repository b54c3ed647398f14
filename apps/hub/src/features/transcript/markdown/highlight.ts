/**
 * Colours for code, as tokens with a class name each: foreign text never becomes markup or a style attribute. The engine and
 * its languages load on first use.
 */
import type { LanguageInput } from 'shiki/types'
import type { HighlightEngine } from './highlight-engine'

export interface CodeToken {
  offset: number
  text: string
  look: string
}
export interface CodeLine {
  number: number
  tokens: CodeToken[]
}

const load: Record<string, () => LanguageInput> = {
  typescript: () => import('shiki/langs/typescript.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  bash: () => import('shiki/langs/bash.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
}
const aliases: Record<string, string> = {
  ts: 'typescript',
  js: 'javascript',
  jsx: 'tsx',
  py: 'python',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  rs: 'rust',
  yml: 'yaml',
  md: 'markdown',
}

/** Beyond this size the block stays plain: colouring it would block the page. */
const LIMIT = 20_000
let engine: Promise<HighlightEngine> | undefined

export async function highlight(code: string, language: string): Promise<CodeLine[] | null> {
  const name = aliases[language] ?? language
  const loader = load[name]
  if (!loader || code.length > LIMIT) return null
  try {
    engine ??= import('./highlight-engine').then(({ createEngine }) => createEngine(theme))
    const tokens = await (await engine).tokens(code, name, loader())
    return tokens.map((line, number) => ({
      number,
      tokens: line.map((token) => ({
        offset: token.offset,
        text: token.content,
        look: looks[token.color ?? ''] ?? '',
      })),
    }))
  } catch {
    engine = undefined // it may not have loaded; plain code is never wrong
    return null
  }
}

/** The theme's colours are names of classes, so that light and dark come from the page's own tokens. */
const looks: Record<string, string> = {
  '#000001': 'text-code-comment',
  '#000002': 'text-code-string',
  '#000003': 'text-code-keyword',
  '#000004': 'text-code-name',
  '#000005': 'text-code-number',
}

const theme = {
  name: 'roundhouse',
  type: 'light' as const,
  fg: '#000000',
  bg: '#ffffff',
  settings: [
    { settings: { foreground: '#000000', background: '#ffffff' } },
    { scope: ['comment', 'punctuation.definition.comment'], settings: { foreground: '#000001' } },
    { scope: ['string', 'markup.inserted'], settings: { foreground: '#000002' } },
    { scope: ['keyword', 'storage', 'markup.deleted'], settings: { foreground: '#000003' } },
    {
      scope: ['entity.name.function', 'entity.name.type', 'support.type.property-name', 'entity.name.tag'],
      settings: { foreground: '#000004' },
    },
    { scope: ['constant.numeric', 'constant.language'], settings: { foreground: '#000005' } },
  ],
}
