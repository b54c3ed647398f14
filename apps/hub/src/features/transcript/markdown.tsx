'use client'
/**
 * What a model wrote, as Markdown, inert: no raw HTML, links to http(s) and mail only and with their destination shown,
 * images never fetched (their address is a way to leak), no styles of its own. The renderer loads only where a
 * transcript is open.
 */
import dynamic from 'next/dynamic'
import { PlainText } from '../../ui/plain-text'

const MarkdownBody = dynamic(() => import('./markdown-body').then((m) => m.MarkdownBody), { ssr: false })

/** Beyond this much one block is shown as plain text: rendering it would hold the page. */
const LIMIT = 60_000

export function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  if (text.length > LIMIT) {
    return (
      <pre className="whitespace-pre-wrap break-words font-sans">
        <PlainText>{text}</PlainText>
      </pre>
    )
  }
  return <MarkdownBody text={text} streaming={streaming} />
}
