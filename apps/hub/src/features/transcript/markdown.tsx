'use client'
/**
 * What a model wrote, as Markdown, inert: no raw HTML, links to http(s) and mail only and with their destination shown,
 * images never fetched (their address is a way to leak). The renderer loads only where a transcript is open; until it is
 * there the text shows as it is, so that the first words are never late.
 */
import { type ComponentType, lazy, Suspense } from 'react'
import { PlainText } from '../../ui/plain-text'

const MarkdownBody = lazy(loadBody)
const RETRY_MS = 1_000

/** The hub may be away at this very moment: it is asked again, and the plain text stays meanwhile. */
async function loadBody(): Promise<{ default: ComponentType<{ text: string; streaming: boolean }> }> {
  for (;;) {
    try {
      return { default: (await import('./markdown-body')).MarkdownBody }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

/** Beyond this much one block is shown as plain text: rendering it would hold the page. */
const LIMIT = 60_000

export function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  if (text.length > LIMIT) return <AsItIs text={text} />
  return (
    <Suspense fallback={<AsItIs text={text} />}>
      <MarkdownBody text={text} streaming={streaming} />
    </Suspense>
  )
}

function AsItIs({ text }: { text: string }) {
  return (
    <p className="whitespace-pre-wrap break-words">
      <PlainText>{text}</PlainText>
    </p>
  )
}
