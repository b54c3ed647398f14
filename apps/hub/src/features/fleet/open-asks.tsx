'use client'
import type { InboxAsk } from '@roundhouse/backend-types'
import { Section } from '../../ui/page'
import { keyOf } from './answer'
import { AskCard } from './ask-card'
import { GoneAsks } from './gone-asks'

/** What programs ask, in the order in which it came, and what became of an ask that somebody else answered. */
export function OpenAsks({ asks }: { asks: readonly InboxAsk[] }) {
  return (
    <>
      <GoneAsks asks={asks} />
      {asks.length === 0 ? null : (
        <Section title="Programs ask" count={asks.length}>
          <ul className="space-y-3 outline-none" data-focus-group tabIndex={-1}>
            {asks.map((entry) => (
              <li key={keyOf(entry)}>
                <AskCard entry={entry} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}
