'use client'
/**
 * Draws Markdown tokens, each kind with its own element, without HTML in between. Markup in the text appears as
 * written, an image as its name, and links only lead to http(s) and mail.
 */
import { createElement, Fragment, memo, type ReactNode, useDeferredValue, useMemo } from 'react'
import { withoutReferences } from './character-references'
import { FencedCode } from './code-block'
import { hiddenHost } from './hidden-host'
import { childrenOf, literal, type MarkedToken, markdownTokens, wordsOf } from './markdown-tokens'

type Of<T extends MarkedToken['type']> = Extract<MarkedToken, { type: T }>

export function MarkdownBody({ text: newest, streaming }: { text: string; streaming: boolean }) {
  // If text arrives faster than it can be drawn, some steps are skipped; keys and clicks come first.
  const text = useDeferredValue(newest)
  const tokens = useMemo(() => markdownTokens(text, streaming), [text, streaming])
  if (tokens === null) return <p className="whitespace-pre-wrap break-words">{text}</p>
  return (
    <div className="md">
      {each(tokens, (token) => (
        <Block token={token} />
      ))}
    </div>
  )
}

/** Only the end of a text changes while it streams in. */
const Block = memo(
  ({ token }: { token: MarkedToken }) => drawn(token),
  (was, is) => was.token.type === is.token.type && was.token.raw === is.token.raw,
)

function drawn(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return <p>{inside(token)}</p>
    case 'heading':
      return createElement(`h${token.depth}`, null, inside(token))
    case 'blockquote':
      return <blockquote>{inside(token)}</blockquote>
    case 'code':
      return <FencedCode code={token.text} language={/^[\w+#.-]{1,40}/.exec(token.lang ?? '')?.[0] ?? 'text'} />
    case 'list':
      return <List list={token} />
    case 'table':
      return <Table table={token} />
    case 'hr':
      return <hr />
    case 'html':
      return token.block ? <p className="whitespace-pre-wrap">{token.raw.trimEnd()}</p> : token.raw
    case 'text':
      return token.tokens ? inside(token) : literal(token)
    case 'strong':
    case 'em':
    case 'del':
      return createElement(token.type, null, inside(token))
    case 'codespan':
      return <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.9em]">{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <SafeLink link={token} />
    case 'image':
      return <span className="text-ink-3">[image: {withoutReferences(token.text || token.href)}]</span>
    case 'checkbox':
      // Drawn as a picture, because it cannot be ticked.
      return (
        <span role="img" aria-label={token.checked ? 'done' : 'open'} className="mr-1.5 text-ink-2">
          {token.checked ? '☑' : '☐'}
        </span>
      )
    default:
      return literal(token)
  }
}

function List({ list }: { list: Of<'list'> }) {
  const items = each(list.items, (item) => <li data-task={item.task ? '' : undefined}>{inside(item)}</li>)
  return list.ordered ? <ol start={list.start === '' ? undefined : list.start}>{items}</ol> : <ul>{items}</ul>
}

function Table({ table }: { table: Of<'table'> }) {
  const alignOf = (n: number) => table.align[n] ?? undefined
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div role="group" aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table>
        <thead>
          <tr>
            {each(table.header, (cell, n) => (
              <th data-align={alignOf(n)}>{inside(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {each(table.rows, (row) => (
            <tr>
              {each(row, (cell, n) => (
                <td data-align={alignOf(n)}>{inside(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SafeLink({ link }: { link: Of<'link'> }) {
  const href = link.autolink ? link.href : withoutReferences(link.href)
  if (!/^(https?:|mailto:)/i.test(href)) return <span className="underline decoration-dotted">{inside(link)}</span>
  const host = hiddenHost(href, wordsOf(childrenOf(link)))
  return (
    <>
      <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
        {inside(link)}
      </a>
      {host ? <span className="text-ink-3 text-xs"> ({host})</span> : null}
    </>
  )
}

function inside(token: { tokens?: unknown[] | undefined }): ReactNode {
  return each(childrenOf(token), drawn)
}

function each<T>(list: readonly T[], draw: (one: T, index: number) => ReactNode): ReactNode {
  return list.map((one, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a token has no identity but its place
    <Fragment key={index}>{draw(one, index)}</Fragment>
  ))
}
