'use client'
/**
 * A model's text as inert Markdown: no raw HTML; links only to http(s) and mail, with their destination shown; images never
 * fetched (their address could leak data). The renderer loads only if a transcript is open. Until then the text appears
 * unformatted, so that the first words are never late.
 */
import { late } from '../../../ui/overlays/late'
import { PlainText } from '../../../ui/text/plain-text'

interface Body {
  text: string
  streaming: boolean
}

const MarkdownBody = late<Body>(
  () => import('./markdown-body').then((module) => module.MarkdownBody),
  ({ text }) => <AsItIs text={text} />,
)

/** Above this size one block is shown as plain text: rendering it would block the page. */
const LIMIT = 60_000

export function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  return text.length > LIMIT ? <AsItIs text={text} /> : <MarkdownBody text={text} streaming={streaming} />
}

function AsItIs({ text }: { text: string }) {
  return (
    <p className="whitespace-pre-wrap break-words">
      <PlainText>{text}</PlainText>
    </p>
  )
}
