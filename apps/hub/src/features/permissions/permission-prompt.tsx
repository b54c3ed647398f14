'use client'
/**
 * One permission request, the same in the inbox and above the composer: the complete action, where it would run, why, how
 * long it has waited, and what each answer does on this backend. The action scrolls, the answers stay.
 */
import { backendName, type PermissionAnswer, type RequestView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ShieldQuestion } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useErrorUntilBack } from '../../live/use-error-until-back'
import { useMay } from '../../live/use-me'
import { useNow } from '../../live/use-now'
import { CodeText, OddNote } from '../../ui/code-text'
import { ErrorNotice } from '../../ui/notice'
import { PlainText } from '../../ui/plain-text'
import { ScrollBody } from '../../ui/scroll-body'
import { SeenWholeOf, useSeenWhole } from '../../ui/seen-whole'
import { ago } from '../../ui/time'
import { useFocusHeir } from '../../ui/use-focus-heir'
import { cutOfAsk, describeTool, undrawnInput } from '../transcript/describe-tool'
import { MembersView } from '../transcript/members-view'
import { ToolDetailView } from '../transcript/tool-detail'
import { codeTextsOf } from './code-texts'
import { PromptAnswers } from './prompt-answers'
import { PromptFacts } from './prompt-facts'
import { promptState } from './prompt-state'
import { useAnswerKeys } from './use-answer-keys'
import { useArmed } from './use-armed'

export interface PermissionPromptProps {
  request: RequestView
  backend: string
  machine: string
  /** Which session asks, where the page does not say it. */
  heading?: ReactNode
  /** Its place among several, `2 of 5`. */
  place?: string
  /** The machine is not connected now. */
  away?: boolean
  /** This one takes the answer keys of the page. */
  keys?: boolean
  /** It stands in a list that `j` and `k` move through. */
  listed?: boolean
  className?: string
}

export function PermissionPrompt(props: PermissionPromptProps) {
  const { request, machine, heading, place, away = false, keys = false, listed = false, className } = props
  const hub = useHub()
  const box = useRef<HTMLElement>(null)
  const [reason, setReason] = useState<string | null>(null)
  const [choosing, setChoosing] = useState(false)
  const { ref, armed, keysArmed } = useArmed<HTMLElement>(keys)
  const { ask } = request
  const backend = backendName(props.backend)
  const cut = cutOfAsk(ask)
  const tool = describeTool(ask.toolName, ask.input, cut)
  const rest = undrawnInput(ask.toolName, ask.input, cut)
  const decide = useMutation({
    mutationFn: ({ decision, scopeId }: { decision: PermissionAnswer; scopeId?: string | undefined }) =>
      hub.rest.decide(ask.requestId, {
        decision,
        digest: ask.digest,
        ...(scopeId === undefined ? {} : { scopeId }),
        ...(decision === 'deny' && reason ? { reason } : {}),
      }),
  })
  useErrorUntilBack(decide)
  const state = promptState(request, decide.isPending)
  const open = state.kind === 'open'
  const whole = useSeenWhole()
  const mayDecide = useMay('permission.decide', true)
  useFocusHeir(box)

  function answer(decision: PermissionAnswer, scopeId?: string) {
    if (!armed || !open || !mayDecide || (allows(decision) && !whole.seen)) return
    if (decision === 'allow_session' && ask.scopes && scopeId === undefined) return setChoosing(true)
    // The buttons go away with the answer; the keyboard stays here until the prompt itself goes.
    if (box.current?.contains(document.activeElement)) box.current.focus({ preventScroll: true })
    decide.mutate({ decision, scopeId })
  }
  useAnswerKeys(keysArmed && open && mayDecide && reason === null && !choosing, {
    answer,
    explain: () => setReason(''),
  })

  function changeReason(next: string | null) {
    if (next === null) box.current?.focus({ preventScroll: true })
    setReason(next)
  }

  function changeChoosing(next: boolean) {
    if (!next) box.current?.focus({ preventScroll: true })
    setChoosing(next)
  }

  return (
    <article
      ref={box}
      tabIndex={-1}
      aria-label={`Permission to ${tool.verb} ${tool.object}`}
      data-testid="permission-prompt"
      data-request={ask.requestId}
      data-focus-heir={open ? '' : undefined}
      data-list-item={listed ? '' : undefined}
      className={clsx(
        'flex flex-col overflow-hidden rounded-lg border border-needs-line bg-surface shadow-sm',
        className,
      )}
    >
      <header className="flex items-start gap-2 bg-needs-soft px-3 py-2 text-sm">
        <ShieldQuestion className="mt-0.5 size-4 shrink-0 text-needs" aria-hidden />
        <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          {heading ? <>{heading} · </> : null}
          <span className={heading ? undefined : 'font-medium'}>
            {backend} asks to <PlainText>{tool.wish}</PlainText>
          </span>
        </p>
        <span className="flex shrink-0 gap-2 text-ink-2 text-xs leading-5 tabular-nums">
          {place ? <span>{place}</span> : null}
          <Waited since={ask.askedAt} />
        </span>
      </header>
      <ScrollBody className="space-y-2 px-3 pt-3 pb-2" onMore={whole.below} look={whole.folded}>
        <SeenWholeOf whole={whole}>
          <div className="space-y-2">
            {tool.detail.kind === 'write' ? (
              <p className="font-mono text-xs [overflow-wrap:anywhere]">
                <CodeText>{tool.object}</CodeText>
              </p>
            ) : null}
            <ToolDetailView detail={tool.detail} complete keep={ask.requestId} />
            <MembersView members={rest} label="Further input" complete keep={ask.requestId} />
            <OddNote texts={codeTextsOf(tool.detail, rest, ask.cwd)} />
            <PromptFacts request={request} machine={machine} />
          </div>
        </SeenWholeOf>
      </ScrollBody>
      <footer ref={ref} className="shrink-0 space-y-2 border-line border-t px-3 py-2.5">
        {open && !mayDecide ? (
          <p className="text-ink-2 text-sm">Waiting for someone who can answer. You can only read.</p>
        ) : open ? (
          <PromptAnswers
            ask={ask}
            backend={backend}
            disabled={!armed}
            unseen={!whole.seen}
            keys={keys}
            onAnswer={answer}
            reason={reason}
            onReason={changeReason}
            choosing={choosing}
            onChoosing={changeChoosing}
          />
        ) : (
          <p className="text-ink-2 text-sm" data-testid="prompt-state" data-state={state.kind}>
            {state.text}
          </p>
        )}
        {away && open ? (
          <p className="text-needs text-xs">
            The machine is not connected. Your answer is delivered when it reconnects.
          </p>
        ) : null}
        {decide.error ? (
          <ErrorNotice
            error={toCodedError(decide.error).toBody()}
            next={open ? 'If it is still waiting, answer again.' : undefined}
          />
        ) : null}
      </footer>
    </article>
  )
}

const allows = (decision: PermissionAnswer) => decision === 'allow' || decision === 'allow_session'

function Waited({ since }: { since: number }) {
  const now = useNow()
  const waited = now === 0 ? '' : ago(since, now)
  return <span>{waited === '' || waited === 'now' ? 'just now' : `waiting ${waited}`}</span>
}
