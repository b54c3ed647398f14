'use client'
import type { PermissionAnswer, PermissionAsk } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { useState } from 'react'
import { Button } from '../../ui/forms/button'
import { late } from '../../ui/overlays/late'
import { AnswerKey } from './answers/answer-key'
import { sessionWords } from './answers/session-words'

const AnswerMeanings = late(() => import('./answers/answer-meanings').then((module) => module.AnswerMeanings))
const ReasonForm = late(() => import('./answers/reason-form').then((module) => module.ReasonForm))
const ScopeChooser = late(() => import('./scope-chooser').then((module) => module.ScopeChooser))

export interface PromptAnswersProps {
  ask: PermissionAsk
  backend: string
  /** Not armed yet, or on its way. */
  disabled: boolean
  /** A part of the action has not been on the screen yet: nobody allows what they could not read (PERM-7). */
  unseen: boolean
  /** The page's keys are this prompt's. */
  keys: boolean
  onAnswer: (decision: PermissionAnswer, scopeId?: string) => void
  /** Absent where the program takes no edit, or this person may not make one. */
  onEdit?: () => void
  /** What the session allows is being chosen. */
  choosing: boolean
  onChoosing: (choosing: boolean) => void
  /** The turn that asked runs still. */
  canStop: boolean
  /** `null`: nobody is explaining a refusal. */
  reason: string | null
  onReason: (reason: string | null) => void
}

/** Allow, allow for session, deny (with a reason), abort; and what each of them does here. */
export function PromptAnswers(props: PromptAnswersProps) {
  const { ask, backend, disabled, unseen, keys, onAnswer, onEdit, canStop, reason, onReason, choosing, onChoosing } =
    props
  const [explained, setExplained] = useState(false)
  if (reason !== null) {
    return (
      <ReasonForm
        label="Reason for the model"
        placeholder={ask.canExplainDeny ? 'Reason for the model (optional)' : 'Reason (optional)'}
        send="Deny"
        disabled={disabled}
        reason={reason}
        onReason={onReason}
        onSend={() => onAnswer('deny')}
      />
    )
  }
  if (choosing && ask.scopes) {
    return (
      <ScopeChooser
        scopes={ask.scopes}
        disabled={disabled || unseen}
        onAllow={(scopeId) => onAnswer('allow_session', scopeId)}
        onBack={() => onChoosing(false)}
      />
    )
  }
  // On a phone two rows: what allows, and below it the others.
  const others = onEdit && canStop ? 'col-span-2' : 'col-span-3'
  return (
    <>
      <div className="grid grid-cols-6 gap-2 sm:flex sm:flex-wrap">
        <Button look="solid" className="col-span-3" disabled={disabled || unseen} onClick={() => onAnswer('allow')}>
          Allow <AnswerKey on={keys}>a</AnswerKey>
        </Button>
        <Button className="col-span-3" disabled={disabled || unseen} onClick={() => onAnswer('allow_session')}>
          {ask.scopes ? 'Allow for session…' : 'Allow for session'} <AnswerKey on={keys}>s</AnswerKey>
        </Button>
        {onEdit ? (
          <Button className={others} disabled={disabled} title="Change what runs, then allow it." onClick={onEdit}>
            Edit… <AnswerKey on={keys}>e</AnswerKey>
          </Button>
        ) : null}
        <Button className={onEdit || canStop ? others : 'col-span-6'} disabled={disabled} onClick={() => onReason('')}>
          Deny… <AnswerKey on={keys}>d</AnswerKey>
        </Button>
        {canStop ? (
          <Button
            data-stops-turn
            look="danger"
            disabled={disabled}
            onClick={() => onAnswer('abort')}
            className={clsx(others, 'sm:ml-auto')}
          >
            Stop turn <AnswerKey on={keys}>x</AnswerKey>
          </Button>
        ) : null}
      </div>
      {ask.scopes ? null : <p className="text-ink-3 text-xs">{sessionWords(ask, backend)}</p>}
      {/* Beside the other line: a line of its own would hide as much again as it asks to read. */}
      <div className="flex flex-wrap-reverse items-start justify-between gap-x-3 text-xs">
        <details className="max-w-full text-ink-3" onToggle={(event) => setExplained(event.currentTarget.open)}>
          <summary className="w-fit hover:text-ink">What each answer does</summary>
          {explained ? (
            <AnswerMeanings ask={ask} backend={backend} canStop={canStop} canEdit={onEdit !== undefined} />
          ) : null}
        </details>
        {unseen ? (
          <p className="text-needs" data-testid="prompt-unseen">
            Read to the end to allow.
          </p>
        ) : null}
      </div>
    </>
  )
}
