import type { AuditItem } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import Link from 'next/link'
import { PlainText } from '../../ui/text/plain-text'
import { deedOf, nameOf, sessionOf, shownFacts } from './audit-words'

const SHOWN_CHARS = 24

interface AuditRowProps {
  item: AuditItem
  /** Names of people and machines, by id. */
  names: ReadonlyMap<string, string>
}

export function AuditRow({ item, names }: AuditRowProps) {
  const session = sessionOf(item)
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5 text-sm" data-testid="audit-row">
      <time
        dateTime={new Date(item.at).toISOString()}
        className="w-32 shrink-0 text-ink-3 text-xs tabular-nums"
        title={`Row ${item.id}, ${item.action}`}
      >
        {timeOf(item.at)}
      </time>
      <div className="order-last min-w-0 flex-1 basis-full sm:order-none sm:basis-64">
        <p className="[overflow-wrap:anywhere]">
          <span className="font-medium">
            <PlainText>{nameOf(item)}</PlainText>
          </span>{' '}
          <span className={clsx(item.outcome !== 'ok' && 'text-failed')}>
            <PlainText>{deedOf(item)}</PlainText>
          </span>
          {session ? (
            <Link
              href={`/sessions/${encodeURIComponent(session)}`}
              className="ml-2 text-accent underline underline-offset-4"
            >
              session
            </Link>
          ) : null}
        </p>
        <Facts facts={shownFacts(item, names)} />
      </div>
      <span className="ml-auto text-ink-3 text-xs tabular-nums">
        <PlainText>{item.address ?? ''}</PlainText>
      </span>
    </li>
  )
}

function Facts({ facts }: { facts: Array<[string, string]> }) {
  if (facts.length === 0) return null
  return (
    <p className="flex flex-wrap gap-x-3 text-ink-3 text-xs [overflow-wrap:anywhere]">
      {facts.map(([name, value]) => (
        <span key={name} title={value}>
          <PlainText>{name}</PlainText>{' '}
          <span className="text-ink-2">
            <PlainText>{value.length > SHOWN_CHARS ? `${value.slice(0, SHOWN_CHARS)}…` : value}</PlainText>
          </span>
        </span>
      ))}
    </p>
  )
}

function timeOf(at: number): string {
  const day = { day: '2-digit', month: 'short' } as const
  return new Date(at).toLocaleString([], { ...day, hour: '2-digit', minute: '2-digit', second: '2-digit' })
}
