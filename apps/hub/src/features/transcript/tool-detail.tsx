'use client'
import { clsx } from 'clsx'
import { diffLines } from 'diff'
import { useMemo, useState } from 'react'
import { Button } from '../../ui/button'
import { shortBytes } from '../../ui/bytes'
import { PlainText } from '../../ui/plain-text'
import { ScrollRegion } from '../../ui/scroll-region'
import type { ToolDetail } from './describe-tool'

const box =
  'overflow-x-auto whitespace-pre-wrap break-words rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5'

/** What a call would do or did. `complete`: nothing is hidden without saying so, as a permission prompt needs it. */
export function ToolDetailView({ detail, complete = false }: { detail: ToolDetail; complete?: boolean }) {
  switch (detail.kind) {
    case 'none':
      return null
    case 'command':
      return <LongText text={detail.text} complete={complete} label="Command" />
    case 'json':
      return <LongText text={detail.text} complete={complete} label="Input" />
    case 'write':
      return <LongText text={detail.text} complete={complete} label={`Content of ${detail.path}`} />
    case 'edit':
      return <EditDiff before={detail.before} after={detail.after} />
    case 'patch':
      return detail.changes.map((change) => <Patch key={change.path} {...change} />)
    case 'cut':
      return (
        <div>
          <pre className={box}>
            <PlainText>{detail.value.head}</PlainText>
          </pre>
          <p className="my-1 text-needs text-xs">
            {shortBytes(detail.value.bytes)} in all; the middle is not shown here. Look at it on the machine before you
            decide.
          </p>
          <pre className={box}>
            <PlainText>{detail.value.tail}</PlainText>
          </pre>
        </div>
      )
  }
}

const SHORT_LINES = 12
const SHORT_CHARACTERS = 1_200

/** Long text folds; the fold says what it hides. */
export function LongText({ text, label, complete = false }: { text: string; label: string; complete?: boolean }) {
  const [open, setOpen] = useState(false)
  const lines = text.split('\n')
  const long = lines.length > SHORT_LINES || text.length > SHORT_CHARACTERS
  const shown = long && !open ? lines.slice(0, SHORT_LINES).join('\n').slice(0, SHORT_CHARACTERS) : text
  return (
    <div>
      <ScrollRegion label={label} className="bg-sunken">
        <PlainText>{shown}</PlainText>
      </ScrollRegion>
      {long ? (
        <Button size="sm" look={complete && !open ? 'soft' : 'plain'} className="mt-1" onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `Show all: ${lines.length} lines, ${shortBytes(text.length)}`}
        </Button>
      ) : null}
    </div>
  )
}

/** Comparing two long, wholly different texts would hold the page: beyond the bound one simply replaces the other. */
function boundedDiff(before: string, after: string) {
  const replaced = [
    { value: before, added: false, removed: true },
    { value: after, added: true, removed: false },
  ]
  return diffLines(before, after, { maxEditLength: 1_000 }) ?? replaced
}

function EditDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => boundedDiff(before, after), [before, after])
  return (
    <div className={clsx(box, 'px-0')}>
      {parts.map((part, index) => (
        <DiffPart
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
          key={index}
          sign={part.added ? '+' : part.removed ? '-' : ' '}
          text={part.value}
        />
      ))}
    </div>
  )
}

function Patch({ path, diff }: { path: string; diff: string }) {
  return (
    <div className="mb-2">
      <p className="mb-1 break-all font-mono text-ink-2 text-xs">
        <PlainText>{path}</PlainText>
      </p>
      <div className={clsx(box, 'px-0')}>
        {diff.split('\n').map((line, index) => (
          <DiffPart
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
            key={index}
            sign={/^[+-]/.test(line) ? (line[0] ?? ' ') : ' '}
            text={/^[+\- ]/.test(line) ? line.slice(1) : line}
          />
        ))}
      </div>
    </div>
  )
}

function DiffPart({ sign, text }: { sign: string; text: string }) {
  const look = sign === '+' ? 'bg-added' : sign === '-' ? 'bg-removed' : ''
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
    <div key={index} className={clsx('grid grid-cols-[1.5rem_1fr] px-3', look)}>
      <span aria-hidden className="select-none text-ink-3">
        {sign}
      </span>
      <span>
        {sign === '+' ? (
          <span className="sr-only">added: </span>
        ) : sign === '-' ? (
          <span className="sr-only">removed: </span>
        ) : null}
        <PlainText>{line}</PlainText>
      </span>
    </div>
  ))
}
