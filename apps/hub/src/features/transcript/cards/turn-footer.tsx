import { clsx } from 'clsx'
import { CommandLine } from '../../../ui/forms/command-line'
import { commandIn } from '../../../ui/text/command-in'
import { dollars } from '../../../ui/text/dollars'
import { PlainText } from '../../../ui/text/plain-text'
import { shortDuration } from '../../../ui/text/time'
import { turnEndWords } from '../../advice/turn-end-words'
import type { ItemOf } from '../items/items'
import { TryAgain } from './try-again'

/** Why the turn ended, its cost, and what a person can do unless it simply finished. */
export function TurnFooter({ item: { end, waitedMs, exit, seq } }: { item: ItemOf<'turn_end'> }) {
  const { label, tone, next } = turnEndWords(end)
  const { command } = commandIn(end.error?.message ?? '')
  const out = end.usage?.outputTokens
  const facts = [
    end.duration === undefined ? null : shortDuration(Math.max(0, end.duration - waitedMs)),
    // Zero is what programs say of a turn that was stopped before they counted.
    !out ? null : `${out.toLocaleString()} ${out === 1 ? 'token' : 'tokens'} out`,
    end.cost ? dollars(end.cost) : null,
  ].filter((fact) => fact !== null)
  return (
    <div
      data-testid="turn-end"
      data-reason={end.reason}
      className="mb-3 border-line border-b pb-3 text-ink-3 text-xs tabular-nums"
    >
      <div className="flex flex-wrap gap-x-2">
        <p>
          <span className={clsx(tone === 'failed' && 'font-medium text-failed')}>
            {exit ? exit.text.replace(/\.$/, '') : label}
          </span>
          {facts.map((fact) => (
            <span key={fact}> · {fact}</span>
          ))}
        </p>
        {exit?.detail || end.error ? (
          <details className="min-w-0 open:basis-full">
            <summary className="w-fit">Details</summary>
            {end.error ? <code className="select-all">{end.error.code}</code> : null}
            {exit?.detail ? (
              <pre className="mt-1 whitespace-pre-wrap break-all font-mono">
                <PlainText>{exit.detail}</PlainText>
              </pre>
            ) : null}
          </details>
        ) : null}
      </div>
      {next && end.reason !== 'process_exited' ? (
        <p className="mt-0.5 text-ink-2 [overflow-wrap:anywhere]">
          <PlainText>{next}</PlainText>
        </p>
      ) : null}
      {command ? <CommandLine command={command} /> : null}
      <TryAgain seq={seq} />
    </div>
  )
}
