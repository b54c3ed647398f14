'use client'
import { clsx } from 'clsx'
import { useMemo } from 'react'
import { Button } from '../../../ui/forms/button'
import { CopyButton } from '../../../ui/forms/copy-button'
import { useKept } from '../../../ui/kept-state'
import { ScrollRegion } from '../../../ui/scroll-region'
import { shortBytes } from '../../../ui/text/bytes'
import { PlainText } from '../../../ui/text/plain-text'
import { ansiSpans } from './ansi'

const FOLDED_LINES = 24
const FOLDED_CHARACTERS = 4_000

const colours = [
  'text-ink-3',
  'text-failed',
  'text-done',
  'text-needs',
  'text-working',
  'text-code-keyword',
  'text-code-name',
  'text-ink-2',
  'text-ink-3',
  'text-failed',
  'text-done',
  'text-needs',
  'text-working',
  'text-code-keyword',
  'text-code-name',
  'text-ink',
]

/** A whole text with its colours. */
export function AnsiSpans({ text }: { text: string }) {
  const spans = useMemo(() => ansiSpans(text), [text])
  return spans.map((span, index) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity but their place
      key={index}
      className={clsx(
        span.colour !== undefined && colours[span.colour],
        span.bold && 'font-semibold',
        span.dim && 'opacity-70',
      )}
    >
      <PlainText>{span.text}</PlainText>
    </span>
  ))
}

export interface AnsiTextProps {
  text: string
  failed: boolean
  keep: string
}

/** A program's output: start and end at first, the rest on demand; colours only. */
export function AnsiText({ text, failed, keep }: AnsiTextProps) {
  const [open, setOpen] = useKept(`${keep}-output`, false)
  const fold = useMemo(() => (open ? { text, hidden: 0 } : folded(text)), [text, open])
  return (
    <div className="group/long relative">
      <ScrollRegion label="Output" className={clsx('max-h-[32rem]', failed ? 'bg-failed-soft' : 'bg-sunken')}>
        <AnsiSpans text={fold.text} />
      </ScrollRegion>
      <CopyButton corner text={text} label="Copy the output" />
      {fold.hidden > 0 || open ? (
        <Button size="sm" look="plain" className="mt-1" onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `Show all ${shortBytes(text.length)}`}
        </Button>
      ) : null}
    </div>
  )
}

function folded(text: string): { text: string; hidden: number } {
  const lines = text.split('\n')
  if (lines.length <= FOLDED_LINES && text.length <= FOLDED_CHARACTERS) return { text, hidden: 0 }
  const half = FOLDED_LINES / 2
  const short =
    lines.length > FOLDED_LINES
      ? [...lines.slice(0, half), `… ${lines.length - FOLDED_LINES} lines …`, ...lines.slice(-half)].join('\n')
      : text
  const most = FOLDED_CHARACTERS / 2
  const cut =
    short.length > FOLDED_CHARACTERS
      ? `${short.slice(0, most)}\n… ${short.length - FOLDED_CHARACTERS} characters …\n${short.slice(-most)}`
      : short
  return { text: cut, hidden: text.length - cut.length }
}
