'use client'
/** What a program asks whoever directs it. It is no permission request: an answer tells the program something and allows no action. */
import { type AskAnswerRequest, type InboxAsk, toCodedError } from '@roundhouse/backend-types'
import { MessageCircleQuestion } from 'lucide-react'
import Link from 'next/link'
import { useId, useState } from 'react'
import { useMay } from '../../live/use-me'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { PlainText } from '../../ui/text/plain-text'
import { ago } from '../../ui/text/time'
import { answerRequest, keyOf, whoAsks } from './answer'
import { unsent, useAnswer } from './use-answer'

const titles = { BLOCKED: 'is blocked', REQUEST: 'asks you' } as const
/** Of `reason` in the schema of a rejection. */
const MOST_CHARACTERS = 4_000

export function AskCard({ entry }: { entry: InboxAsk }) {
  const { ask } = entry
  const name = <PlainText>{entry.name}</PlainText>
  return (
    <article
      tabIndex={-1}
      data-list-item
      data-testid="ask"
      aria-label={`${whoAsks(entry)} ${titles[ask.kind]}`}
      className="overflow-hidden rounded-lg border border-line-strong bg-surface shadow-sm"
    >
      <header className="flex items-start gap-2 bg-sunken px-3 py-2 text-sm">
        <MessageCircleQuestion className="mt-0.5 size-4 shrink-0 text-ink-2" aria-hidden />
        <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          {entry.kind === 'session' ? (
            <>
              Session{' '}
              <Link href={`/sessions/${entry.peerId}`} className="font-medium underline-offset-4 hover:underline">
                {name}
              </Link>
            </>
          ) : (
            <span className="font-medium">{name}</span>
          )}{' '}
          {titles[ask.kind]}
        </p>
        <Waiting since={ask.at} />
      </header>
      <p className="max-h-60 overflow-y-auto whitespace-pre-wrap px-3 py-3 text-sm [overflow-wrap:anywhere]">
        <PlainText>{ask.message}</PlainText>
      </p>
      <footer className="border-line border-t px-3 py-2.5">
        <AnswerForm entry={entry} />
      </footer>
    </article>
  )
}

function Waiting({ since }: { since: number }) {
  const now = useNow()
  const waited = now === 0 ? 'now' : ago(since, now)
  return (
    <span className="shrink-0 text-ink-2 text-xs tabular-nums leading-5">
      {waited === 'now' ? 'just now' : `waiting ${waited}`}
    </span>
  )
}

function AnswerForm({ entry }: { entry: InboxAsk }) {
  const { options } = entry.ask
  const may = useMay('session.prompt', true)
  const hint = useId()
  const [text, setText] = useState(() => unsent.get(keyOf(entry)) ?? '')
  const answer = useAnswer(entry)
  if (!may) return <p className="text-ink-2 text-sm">Waiting for someone who can send prompts. You can only read.</p>
  if (answer.isSuccess) return <p className="text-ink-2 text-sm">Answered.</p>
  const send = (decision: AskAnswerRequest['decision'], option?: string) =>
    answer.mutate(answerRequest(decision, text, option))
  const busy = answer.isPending
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        // Enter decides nothing.
        event.preventDefault()
      }}
    >
      <input
        aria-label="Your answer"
        aria-describedby={hint}
        placeholder="Your words (optional)"
        value={text}
        maxLength={MOST_CHARACTERS}
        onChange={(event) => {
          setText(event.target.value)
          unsent.set(keyOf(entry), event.target.value)
        }}
        className="h-8 w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm placeholder:text-ink-3 pointer-coarse:h-10"
      />
      {options.length > 0 ? (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset has a frame and a legend of its own.
        <div role="group" aria-label="Answers that the program offers" className="flex flex-wrap gap-2">
          {options.map(({ id, label }) => (
            <Button
              key={id}
              disabled={busy}
              onClick={() => send('approve', id)}
              className="h-auto! min-h-8 max-w-full shrink! whitespace-normal! bg-sunken! py-1 text-left hover:brightness-95 [overflow-wrap:anywhere] pointer-coarse:min-h-10"
            >
              <PlainText>{label}</PlainText>
            </Button>
          ))}
        </div>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button look={options.length > 0 ? 'soft' : 'solid'} disabled={busy} onClick={() => send('approve')}>
          Approve
        </Button>
        <Button disabled={busy} onClick={() => send('reject')}>
          Reject
        </Button>
      </div>
      <p id={hint} className="text-ink-3 text-xs">
        Tells the program your answer and your words. Actions that need permission still ask.
      </p>
      {answer.error ? (
        <ErrorNotice error={toCodedError(answer.error).toBody()} next="If it still waits, answer again." />
      ) : null}
    </form>
  )
}
