import type { PlanItem } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { Check, Circle, CircleDot } from 'lucide-react'
import { plainLine } from '../../../ui/text/plain-line'
import { PlainText } from '../../../ui/text/plain-text'

/** The program's plan, as a checklist. */
export function PlanView({ items }: { items: readonly PlanItem[] }) {
  const done = items.filter((step) => step.status === 'completed').length
  return (
    <section aria-label="Plan" className="rounded-lg border border-line bg-surface px-3 py-2 text-sm">
      <p className="mb-1 flex items-baseline gap-2 text-ink-3 text-xs tabular-nums">
        <span className="font-medium">Plan</span>
        {done} of {items.length}
      </p>
      <ul className="space-y-1">
        {items.map((step, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two steps may have the same words, and none has a state of its own
          <li key={place} className={clsx('flex items-start gap-2', step.status === 'completed' && 'text-ink-3')}>
            <StepIcon status={step.status} />
            <span className={clsx('min-w-0 [overflow-wrap:anywhere]', step.status === 'completed' && 'line-through')}>
              <PlainText>{plainLine(step.text)}</PlainText>
            </span>
            <span className="sr-only">{step.status.replace('_', ' ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function StepIcon({ status }: { status: PlanItem['status'] }) {
  const look = 'mt-0.5 size-4 shrink-0'
  if (status === 'completed') return <Check className={clsx(look, 'text-done')} aria-hidden />
  if (status === 'in_progress') return <CircleDot className={clsx(look, 'text-working')} aria-hidden />
  return <Circle className={clsx(look, 'text-ink-3')} aria-hidden />
}
