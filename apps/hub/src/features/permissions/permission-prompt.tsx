'use client'
/**
 * One permission request, the same in the inbox, in the transcript and above the composer: the complete action, where
 * it would run, why, how long it has waited, and what each answer does on this backend.
 */
import { type PermissionAnswer, type RequestView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ShieldQuestion } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/button'
import { ErrorNotice } from '../../ui/notice'
import { PlainText } from '../../ui/plain-text'
import { ago } from '../../ui/time'
import { describeTool, undrawnInput } from '../transcript/describe-tool'
import { LongText, ToolDetailView } from '../transcript/tool-detail'
import { answerWords } from './answer-words'
import { promptState } from './prompt-state'
import { useAnswerKeys } from './use-answer-keys'
import { useArmed } from './use-armed'

export interface PermissionPromptProps {
  request: RequestView
  backend: string
  heading?: ReactNode
  /** This one takes the answer keys of the page. */
  keys?: boolean
}

export function PermissionPrompt({ request, backend, heading, keys = false }: PermissionPromptProps) {
  const hub = useHub()
  const [reason, setReason] = useState<string | null>(null)
  const { ref, armed } = useArmed<HTMLElement>()
  const { ask } = request
  const tool = describeTool(ask.toolName, ask.input)
  const rest = undrawnInput(ask.toolName, ask.input)
  const decide = useMutation({
    mutationFn: (decision: PermissionAnswer) =>
      hub.rest.decide(ask.requestId, {
        decision,
        digest: ask.digest,
        ...(decision === 'deny' && reason ? { reason } : {}),
      }),
  })
  const state = promptState(request, decide.isPending)
  const answerable = armed && state.kind === 'open'
  const answer = (decision: PermissionAnswer) => answerable && decide.mutate(decision)
  useAnswerKeys(keys && answerable && reason === null, { answer, explain: () => setReason('') })

  return (
    <article
      ref={ref}
      aria-label={`Permission to ${tool.verb} ${tool.object}`}
      data-testid="permission-prompt"
      data-request={ask.requestId}
      className="overflow-hidden rounded-lg border border-needs-line bg-surface"
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5 bg-needs-soft px-3 py-2 text-sm">
        <ShieldQuestion className="size-4 text-needs" aria-hidden />
        {heading}
        <Waited since={ask.askedAt} />
      </header>
      <div className="space-y-2 px-3 py-3">
        <p className="text-sm">
          <span className="font-medium">{tool.verb}</span>{' '}
          <span className="break-all text-ink-2">
            {tool.detail.kind === 'command' ? null : <PlainText>{tool.object}</PlainText>}
          </span>
        </p>
        <ToolDetailView detail={tool.detail} complete />
        {rest === null ? null : <LongText text={rest} label="Further input" complete />}
        <Facts request={request} />
      </div>
      <footer className="space-y-2 border-line border-t px-3 py-2.5">
        {state.kind === 'open' ? (
          <Answers
            request={request}
            backend={backend}
            disabled={!answerable}
            onAnswer={answer}
            reason={reason}
            onReason={setReason}
          />
        ) : (
          <p className="text-ink-2 text-sm" data-testid="prompt-state" data-state={state.kind}>
            {state.text}
          </p>
        )}
        {decide.error ? <ErrorNotice error={toCodedError(decide.error).toBody()} /> : null}
      </footer>
    </article>
  )
}

function Waited({ since }: { since: number }) {
  const now = useNow()
  return (
    <span className="ml-auto text-ink-3 text-xs tabular-nums">{now === 0 ? '' : `waiting ${ago(since, now)}`}</span>
  )
}

function Facts({ request: { ask } }: { request: RequestView }) {
  const facts: Array<[string, string]> = [['In', ask.cwd]]
  if (ask.reason) facts.push(['Why', ask.reason])
  if (!ask.filesPinned) facts.push(['Note', 'Files named in it are not pinned: they may change before it runs.'])
  if (ask.redactedSpans > 0)
    facts.push(['Note', `${ask.redactedSpans} secret(s) are hidden here; the program sees them.`])
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs">
      {facts.map(([name, value]) => (
        <div key={`${name}${value}`} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className={clsx('break-all text-ink-2', name === 'In' && 'font-mono')}>
            <PlainText>{value}</PlainText>
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface AnswersProps {
  request: RequestView
  backend: string
  disabled: boolean
  onAnswer: (decision: PermissionAnswer) => void
  reason: string | null
  onReason: (reason: string | null) => void
}

function Answers({ request: { ask }, backend, disabled, onAnswer, reason, onReason }: AnswersProps) {
  const words = answerWords(ask, backend)
  if (reason !== null) {
    return (
      <form
        className="flex flex-wrap gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          onAnswer('deny')
        }}
      >
        <input
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
          autoFocus
          aria-label="Reason for the model"
          placeholder="Why not? The model reads this. Leave it empty to say nothing."
          value={reason}
          onChange={(event) => onReason(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && onReason(null)}
          maxLength={4_000}
          className="h-8 min-w-0 flex-1 basis-56 rounded-md border border-line-strong bg-surface px-2.5 text-sm"
        />
        <Button type="submit" look="danger" disabled={disabled}>
          Deny
        </Button>
        <Button look="plain" onClick={() => onReason(null)}>
          Back
        </Button>
      </form>
    )
  }
  return (
    <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      <Button look="solid" disabled={disabled} title={words.allow} onClick={() => onAnswer('allow')}>
        Allow <Key>a</Key>
      </Button>
      <Button disabled={disabled} title={words.allow_session} onClick={() => onAnswer('allow_session')}>
        Allow for session <Key>s</Key>
      </Button>
      <Button disabled={disabled} title={words.deny} onClick={() => onReason('')}>
        Deny… <Key>d</Key>
      </Button>
      <Button
        look="danger"
        disabled={disabled}
        title={words.abort}
        onClick={() => onAnswer('abort')}
        className="sm:ml-auto"
      >
        Abort turn <Key>x</Key>
      </Button>
      <p className="col-span-2 basis-full text-ink-3 text-xs">{words.allow_session}</p>
    </div>
  )
}

function Key({ children }: { children: string }) {
  return (
    <kbd
      aria-hidden
      className="hidden rounded border border-current/20 px-1 font-mono text-[10px] opacity-70 sm:inline"
    >
      {children}
    </kbd>
  )
}
