import type { RequestView } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { CodeText } from '../../../ui/text/code-text'
import { PlainText } from '../../../ui/text/plain-text'
import { isRepeated } from './repeated-reason'

const clock = (at: number) => new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })

/** Where the action would run and why, in the page's own words. The program's words are shown separately. */
export function PromptFacts({ request: { ask }, machine }: { request: RequestView; machine: string }) {
  const facts: Array<[string, string]> = [
    ['On', machine],
    ['In', ask.cwd],
  ]
  if (ask.reason && !isRepeated(ask.reason, ask.input)) facts.push(['Why', ask.reason])
  if (ask.expiresAt !== undefined) facts.push(['Until', `${clock(ask.expiresAt)}. Then it expires without a decision.`])
  if (!ask.filesPinned) facts.push(['Note', 'The files it names may change before it runs.'])
  for (const note of ask.notes ?? []) facts.push(['Note', note])
  if (ask.redactedSpans > 0)
    facts.push(['Note', `${ask.redactedSpans} secret(s) are hidden here; the program sees them.`])
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs">
      {facts.map(([name, value]) => (
        <div key={`${name}${value}`} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className={clsx('break-words text-ink-2 [overflow-wrap:anywhere]', name === 'In' && 'font-mono')}>
            {name === 'In' ? <CodeText>{value}</CodeText> : <PlainText>{value}</PlainText>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
