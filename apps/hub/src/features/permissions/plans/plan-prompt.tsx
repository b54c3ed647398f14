'use client'
/** A plan that waits for approval, shown as Markdown: approve and ask, approve and accept edits, or continue planning. */
import type { AskPlan } from '@roundhouse/backend-types'
import { ClipboardList } from 'lucide-react'
import { useMay } from '../../../live/use-me'
import { Button } from '../../../ui/forms/button'
import { isForPage } from '../../../ui/keys/keyboard'
import { useKeyDown } from '../../../ui/keys/use-key-down'
import { ScrollBody } from '../../../ui/scroll-body'
import { PlainText } from '../../../ui/text/plain-text'
import { MembersView } from '../../transcript/cards/members-view'
import { Markdown } from '../../transcript/markdown/markdown'
import { canStopTurn } from '../decision/can-stop'
import { KeyHint } from '../decision/key-hint'
import { ReasonForm } from '../decision/reason-form'
import { useDecision } from '../decision/use-decision'
import { useReason } from '../decision/use-reason'
import { PromptFacts } from '../frame/prompt-facts'
import { RequestFrame, type RequestPromptProps } from '../frame/request-frame'
import { approvalsOf, furtherInput } from './plan-approvals'

export function PlanPrompt({ plan, ...props }: RequestPromptProps & { plan: AskPlan }) {
  const { request, keys = false, machine } = props
  const { ask } = request
  const reason = useReason(ask.requestId)
  const decision = useDecision(request, keys, reason.drop)
  const approvals = approvalsOf(ask, plan, useMay('session.prompt', true))
  const canStop = canStopTurn(ask, props.turnId)
  const stop = () => decision.send({ decision: 'abort' })
  const approve = (index: number) => {
    const approval = approvals[index]
    if (approval) decision.send({ decision: 'allow', ...(approval.mode === undefined ? {} : { mode: approval.mode }) })
  }
  useKeyDown(
    (event) => {
      if (event.repeat || !isForPage(event)) return
      const at = Number(event.key) - 1
      if (approvals[at]) approve(at)
      else if (at === approvals.length || event.key === 'd') reason.change('')
      else if (event.key === 'x' && canStop) stop()
      else return
      event.preventDefault()
    },
    { active: decision.keysArmed && reason.text === null },
  )
  return (
    <RequestFrame
      {...props}
      decision={decision}
      label="Plan to approve"
      title={`${props.backend} has a plan and asks to begin`}
      icon={ClipboardList}
      controls={
        reason.text === null ? (
          <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
            {approvals.map(({ label }, index) => (
              <Button
                key={label}
                look={index === 0 ? 'solid' : 'soft'}
                disabled={!decision.armed}
                className="col-span-2"
                onClick={() => approve(index)}
              >
                {label} <KeyHint on={keys}>{String(index + 1)}</KeyHint>
              </Button>
            ))}
            <Button disabled={!decision.armed} onClick={() => reason.change('')}>
              Keep planning… <KeyHint on={keys}>{String(approvals.length + 1)}</KeyHint>
            </Button>
            {canStop ? (
              <Button data-stops-turn look="danger" disabled={!decision.armed} onClick={stop} className="sm:ml-auto">
                Stop turn <KeyHint on={keys}>x</KeyHint>
              </Button>
            ) : null}
          </div>
        ) : (
          <ReasonForm
            label="What should change"
            placeholder="What should change? The model reads this (optional)"
            send="Keep planning"
            disabled={!decision.armed}
            reason={reason.text}
            onReason={(next) => {
              if (next === null) decision.focusBox()
              reason.change(next)
            }}
            onSend={() => decision.send({ decision: 'deny', ...(reason.text ? { reason: reason.text } : {}) })}
          />
        )
      }
    >
      <ScrollBody className="px-3 pt-3 pb-2">
        <div className="space-y-3">
          {plan.text.trim() === '' ? (
            <p className="text-ink-2 text-sm">
              <PlainText>
                The program sent no text with its plan. What it wrote before stands in the transcript.
              </PlainText>
            </p>
          ) : (
            <section aria-label="Plan" className="text-sm">
              <Markdown text={plan.text} />
            </section>
          )}
          <MembersView members={furtherInput(ask, plan)} label="Further input" complete keep={ask.requestId} />
          <PromptFacts request={request} machine={machine} />
        </div>
      </ScrollBody>
    </RequestFrame>
  )
}
