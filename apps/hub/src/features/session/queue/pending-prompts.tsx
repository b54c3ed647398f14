'use client'
/**
 * The permission requests of one session above its composer: one in full, the others as one line each, decidable in any
 * order.
 */
import type { PermissionAsk, RequestView, SessionView } from '@roundhouse/backend-types'
import { ShieldQuestion } from 'lucide-react'
import { useBackendNames } from '../../../live/backend-names'
import { useMachineName } from '../../../live/machine-names'
import { useNow } from '../../../live/use-now'
import { isForPage } from '../../../ui/keys/keyboard'
import { useKeyDown } from '../../../ui/keys/use-key-down'
import { CodeText } from '../../../ui/text/code-text'
import { ago } from '../../../ui/text/time'
import { formOf } from '../../permissions/decision/form-of-ask'
import { GoneNotices } from '../../permissions/gone/gone-notices'
import { RequestPrompt } from '../../permissions/request-prompt'
import { wordsOfAsk } from '../../transcript/changes/tool-words'
import { currentRequest, neighbour } from './current-request'

export interface PendingPromptsProps {
  view: SessionView
  /** The request that the person picked, if any. */
  chosen: string | null
  onChoose: (requestId: string) => void
}

export function PendingPrompts({ view, chosen, onChoose }: PendingPromptsProps) {
  const open = view.requests.filter((request) => request.outcome === 'open')
  const current = currentRequest(open, chosen)
  const others = open.filter((request) => request !== current)
  const { moreRequests = 0 } = view
  const machine = useMachineName(view.agentId, view.agentName)
  const backend = useBackendNames()(view.settings.backend, view.agentId)
  useKeyDown((event) => {
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
    if (open.length < 2 || !current || step === 0 || !isForPage(event)) return
    event.preventDefault()
    onChoose(neighbour(open, current, step).ask.requestId)
  })
  return (
    <>
      <GoneNotices key={view.sessionId} requests={open} />
      {current ? (
        <RequestPrompt
          key={current.ask.requestId}
          request={current}
          backend={backend}
          machine={machine}
          turnId={view.turnId ?? null}
          {...(open.length > 1 ? { place: `${open.indexOf(current) + 1} of ${open.length + moreRequests}` } : {})}
          keys
          className="min-h-(--least-height) shrink one-scroll:max-h-[85dvh]"
        />
      ) : null}
      {current ? <Others requests={others} onChoose={onChoose} /> : null}
      {moreRequests > 0 ? <More count={moreRequests} machine={machine} /> : null}
    </>
  )
}

function More({ count, machine }: { count: number; machine: string }) {
  return (
    <p data-testid="more-requests" className="shrink-0 px-1 text-ink-2 text-sm">
      {count === 1 ? '1 more request waits' : `${count.toLocaleString()} more requests wait`} on {machine}. They appear
      here as you decide these.
    </p>
  )
}

function Others({ requests, onChoose }: { requests: readonly RequestView[]; onChoose: (requestId: string) => void }) {
  if (requests.length === 0) return null
  return (
    <ul
      aria-label="Other requests"
      className="max-h-32 shrink-0 divide-y divide-line overflow-y-auto rounded-lg border border-needs-line bg-surface"
    >
      {requests.map((request) => (
        <OtherRow key={request.ask.requestId} request={request} onChoose={onChoose} />
      ))}
    </ul>
  )
}

function lineOf(ask: PermissionAsk): { verb: string; object: string } {
  const form = formOf(ask)
  if (form) return { verb: 'Question', object: form.message ?? form.fields[0]?.label ?? '' }
  if (ask.plan) return { verb: 'Plan', object: ask.display?.object ?? ask.plan.text.split('\n', 1)[0] ?? '' }
  return wordsOfAsk(ask)
}

function OtherRow({ request, onChoose }: { request: RequestView; onChoose: (requestId: string) => void }) {
  const now = useNow()
  const { ask, decision } = request
  const { verb, object } = lineOf(ask)
  return (
    <li>
      <button
        type="button"
        onClick={() => onChoose(ask.requestId)}
        className="flex w-full items-center gap-2 px-3 py-1.5 text-left text-sm hover:bg-sunken focus-visible:outline-offset-[-2px]"
      >
        <ShieldQuestion className="size-3.5 shrink-0 text-needs" aria-hidden />
        <span className="shrink-0 font-medium">{verb}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-ink-2 text-xs">
          <CodeText>{object}</CodeText>
        </span>
        <span className="shrink-0 text-ink-3 text-xs tabular-nums">
          {decision ? 'decided' : now === 0 ? '' : ago(ask.askedAt, now)}
        </span>
      </button>
    </li>
  )
}
