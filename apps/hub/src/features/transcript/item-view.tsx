'use client'
import type { SessionEventOf } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { Check, Circle, CircleDot } from 'lucide-react'
import { memo, useState } from 'react'
import { shortBytes } from '../../ui/bytes'
import { PlainText } from '../../ui/plain-text'
import { clockTime, shortDuration } from '../../ui/time'
import { turnEndWords } from '../sessions/describe-status'
import type { Item, ItemOf, Marker, Text } from './items'
import { Markdown } from './markdown'
import { ToolCard } from './tool-card'

/** One visual grammar: person, assistant, tool, system. Each item is reachable by its link `#e-<seq>`. */
export const ItemView = memo(function ItemView({ item }: { item: Item }) {
  return (
    <div id={item.key} data-seq={item.seq} data-item={item.type} className="scroll-mt-16">
      <Body item={item} />
    </div>
  )
})

function Body({ item }: { item: Item }) {
  switch (item.type) {
    case 'user':
      return <UserMessage item={item} />
    case 'assistant':
      return (
        <div data-testid="assistant-text">
          <TextBody text={item.text} />
          {item.partial ? <CutShort /> : null}
        </div>
      )
    case 'thinking':
      return <Thinking text={item.text} />
    case 'tool':
      return <ToolCard tool={item.tool} renderStep={(step) => <ItemView item={step} />} />
    case 'plan':
      return <Plan item={item} />
    case 'ask':
      return <p className="text-needs text-sm">Asks for permission: {item.ask.toolName}</p>
    case 'marker':
      return <MarkerLine marker={item.marker} at={item.at} />
    case 'turn_end':
      return <TurnFooter end={item.end} />
    case 'unsupported':
      return (
        <MarkerLine at={item.at} marker={{ tone: 'quiet', text: `Unsupported event (${item.kind}). ${item.detail}` }} />
      )
  }
}

function UserMessage({ item }: { item: ItemOf<'user'> }) {
  return (
    <div className="mt-3 flex justify-end">
      <div
        data-testid="user-message"
        className="max-w-[85%] rounded-xl rounded-br-sm border border-line bg-accent-soft px-3.5 py-2"
      >
        <p className="sr-only">{item.author} said</p>
        <div className="whitespace-pre-wrap break-words">
          {typeof item.text === 'string' ? <PlainText>{item.text}</PlainText> : <TextBody text={item.text} />}
        </div>
        <p className="mt-0.5 text-ink-3 text-xs">
          {item.author}
          {item.steer ? ', into the running turn' : ''} · {clockTime(item.at)}
        </p>
      </div>
    </div>
  )
}

export function TextBody({ text, streaming = false }: { text: Text; streaming?: boolean }) {
  if (typeof text === 'string') return <Markdown text={text} streaming={streaming} />
  return (
    <div>
      <Markdown text={text.head} />
      <p className="my-2 text-needs text-xs">{shortBytes(text.bytes)} in all; the middle is kept on the machine.</p>
      <Markdown text={text.tail} />
    </div>
  )
}

function CutShort() {
  return <p className="mt-1 text-failed text-xs">Cut short here: the program ended while it wrote this.</p>
}

export function Thinking({ text, live = false }: { text: Text; live?: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <div className="text-ink-3 text-sm">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)} className="hover:text-ink">
        {live ? 'Thinking…' : 'Thought'} <span aria-hidden>{open ? '▾' : '▸'}</span>
      </button>
      {open ? (
        <div className="mt-1 border-line border-l-2 pl-3 text-ink-2">
          <TextBody text={text} />
        </div>
      ) : null}
    </div>
  )
}

function Plan({ item }: { item: ItemOf<'plan'> }) {
  return (
    <ul aria-label="Plan" className="space-y-1 rounded-lg border border-line bg-surface px-3 py-2 text-sm">
      {item.items.map((step) => (
        <li key={step.text} className={clsx('flex items-start gap-2', step.status === 'completed' && 'text-ink-3')}>
          <StepIcon status={step.status} />
          <span className={clsx(step.status === 'completed' && 'line-through')}>
            <PlainText>{step.text}</PlainText>
          </span>
          <span className="sr-only">{step.status.replace('_', ' ')}</span>
        </li>
      ))}
    </ul>
  )
}

function StepIcon({ status }: { status: ItemOf<'plan'>['items'][number]['status'] }) {
  const look = 'mt-0.5 size-4 shrink-0'
  if (status === 'completed') return <Check className={clsx(look, 'text-done')} aria-hidden />
  if (status === 'in_progress') return <CircleDot className={clsx(look, 'text-working')} aria-hidden />
  return <Circle className={clsx(look, 'text-ink-3')} aria-hidden />
}

const markerLooks: Record<Marker['tone'], string> = {
  quiet: 'text-ink-3',
  failed: 'text-failed',
  needs: 'text-needs',
  done: 'text-ink-2',
}

function MarkerLine({ marker, at }: { marker: Marker; at: number }) {
  return (
    <div data-testid="marker" data-tone={marker.tone} className="flex items-start gap-3 text-xs">
      <span className="mt-2 h-px w-4 shrink-0 bg-line-strong" aria-hidden />
      <div className={clsx('min-w-0', markerLooks[marker.tone])}>
        <span className="break-words">
          <PlainText>{marker.text}</PlainText>
        </span>
        <span className="ml-2 text-ink-3 tabular-nums">{clockTime(at)}</span>
        {marker.detail ? (
          <details className="mt-0.5 text-ink-3">
            <summary>Details</summary>
            <pre className="mt-1 whitespace-pre-wrap break-all font-mono">
              <PlainText>{marker.detail}</PlainText>
            </pre>
          </details>
        ) : null}
      </div>
    </div>
  )
}

function TurnFooter({ end }: { end: SessionEventOf<'turn_completed'> }) {
  const words = turnEndWords[end.reason]
  const facts = [
    end.duration === undefined ? null : shortDuration(end.duration),
    end.usage?.outputTokens === undefined ? null : `${end.usage.outputTokens.toLocaleString()} tokens out`,
    end.cost ? `$${end.cost.toFixed(end.cost < 0.1 ? 4 : 2)}` : null,
  ].filter((fact) => fact !== null)
  return (
    <div
      data-testid="turn-end"
      data-reason={end.reason}
      className="mb-3 border-line border-b pb-3 text-ink-3 text-xs tabular-nums"
    >
      {words ? <span className={end.reason === 'interrupted' ? 'text-ink-2' : 'text-failed'}>{words}</span> : 'Done'}
      {facts.map((fact) => (
        <span key={fact}> · {fact}</span>
      ))}
      {end.error ? (
        <p className="mt-1 text-failed">
          <PlainText>{end.error.message}</PlainText> <code className="select-all text-ink-3">{end.error.code}</code>
        </p>
      ) : null}
    </div>
  )
}
