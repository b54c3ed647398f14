'use client'
import { toolLabel } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { memo } from 'react'
import { Fold } from '../../../ui/fold'
import { useKept } from '../../../ui/kept-state'
import { late } from '../../../ui/overlays/late'
import { PlainText } from '../../../ui/text/plain-text'
import { clockTime } from '../../../ui/text/time'
import { SessionLink } from '../../links/session-link'
import type { Item, ItemOf, Marker, Text } from '../items/items'
import { Markdown } from '../markdown/markdown'
import { EventLink } from './event-link-button'
import { AnswersGiven } from './late-answers'
import { RevokeAllowed } from './revoke-allowed'
import { ToolCard } from './tool-card'
import { TurnFooter } from './turn-footer'

const CutMiddle = late(() => import('../artifacts/cut-middle').then((module) => module.CutMiddle))
const PlanView = late(() => import('./plan-view').then((module) => module.PlanView))
const SentImages = late(() => import('../artifacts/sent-images').then((module) => module.SentImages))

/** One visual grammar: person, assistant, tool, system. Each item is reachable by its link `#e-<seq>`. */
export const ItemView = memo(function ItemView({ item, nested = false }: { item: Item; nested?: boolean }) {
  return (
    <div id={item.key} data-seq={item.seq} data-item={item.type} className="group/item relative scroll-mt-16">
      {nested ? null : <EventLink seq={item.seq} at={item.at} />}
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
      return <Thinking text={item.text} keep={item.key} />
    case 'tool':
      return <ToolCard tool={item.tool} renderStep={(step) => <ItemView item={step} nested />} />
    case 'plan':
      return <PlanView items={item.items} />
    case 'ask':
      return <p className="text-needs text-sm">Asks for permission: {toolLabel(item.ask.toolName)}</p>
    case 'marker':
      return <MarkerLine marker={item.marker} at={item.at} />
    case 'turn_end':
      return <TurnFooter item={item} />
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
        className="min-w-0 max-w-[85%] rounded-xl rounded-br-sm border border-line bg-accent-soft px-3.5 py-2"
      >
        <p className="sr-only">{item.author === null ? 'A prompt, reported by the machine' : `${item.author} said`}</p>
        {item.images ? <SentImages images={item.images} keep={item.key} /> : null}
        {item.text === '' ? null : (
          <Fold keep={item.key}>
            <div className="whitespace-pre-wrap [overflow-wrap:anywhere]">
              {typeof item.text === 'string' ? <PlainText>{item.text}</PlainText> : <TextBody text={item.text} />}
            </div>
          </Fold>
        )}
        <p className="mt-0.5 text-ink-3 text-xs tabular-nums">
          {item.author ?? 'Reported by the machine'}
          {item.steer ? ', steering the current turn' : ''}
          {item.images ? `, ${item.images.length === 1 ? 'image' : 'images'} sent unchanged` : ''} ·{' '}
          {clockTime(item.at)}
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
      <CutMiddle value={text} />
      <Markdown text={text.tail} />
    </div>
  )
}

function CutShort() {
  return <p className="mt-1 text-failed text-xs">Cut short here: the program ended while it wrote this.</p>
}

export function Thinking({ text, live = false, keep }: { text: Text; live?: boolean; keep: string }) {
  const [open, setOpen] = useKept(`${keep}-thinking`, false)
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
        <span className="[overflow-wrap:anywhere]">
          <PlainText>{marker.text}</PlainText>
          {marker.sessionId === undefined ? null : (
            <>
              {' · '}
              <SessionLink sessionId={marker.sessionId} />
            </>
          )}
        </span>
        <RevokeAllowed grantId={marker.grantId} ruleId={marker.ruleId} />
        <span className="ml-2 text-ink-3 tabular-nums">{clockTime(at)}</span>
        {marker.answered ? <AnswersGiven answered={marker.answered} /> : null}
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
