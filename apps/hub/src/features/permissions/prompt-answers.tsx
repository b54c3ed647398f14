'use client'
import type { PermissionAnswer, PermissionAsk } from '@roundhouse/backend-types'
import { Button } from '../../ui/button'
import { late } from '../../ui/late'
import { AnswerKey } from './answer-key'
import { answerWords } from './answer-words'
import { ReasonForm } from './reason-form'

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
  /** `null`: nobody is explaining a refusal. */
  reason: string | null
  onReason: (reason: string | null) => void
}

/** Allow, allow for session, deny (with a reason), abort; and what each of them does here. */
export function PromptAnswers(props: PromptAnswersProps) {
  const { ask, backend, disabled, unseen, keys, onAnswer, onEdit, reason, onReason, choosing, onChoosing } = props
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
  const words = answerWords(ask, backend)
  return (
    <>
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
        <Button look="solid" disabled={disabled || unseen} title={words.allow} onClick={() => onAnswer('allow')}>
          Allow <AnswerKey on={keys}>a</AnswerKey>
        </Button>
        <Button disabled={disabled || unseen} title={words.allow_session} onClick={() => onAnswer('allow_session')}>
          {ask.scopes ? 'Allow for session…' : 'Allow for session'} <AnswerKey on={keys}>s</AnswerKey>
        </Button>
        {onEdit ? (
          <Button disabled={disabled} title="Change what runs, then allow it." onClick={onEdit}>
            Edit… <AnswerKey on={keys}>e</AnswerKey>
          </Button>
        ) : null}
        <Button disabled={disabled} title={words.deny} onClick={() => onReason('')}>
          Deny… <AnswerKey on={keys}>d</AnswerKey>
        </Button>
        <Button
          look="danger"
          disabled={disabled}
          title={words.abort}
          onClick={() => onAnswer('abort')}
          className="sm:ml-auto"
        >
          Stop turn <AnswerKey on={keys}>x</AnswerKey>
        </Button>
      </div>
      {unseen ? (
        <p className="text-needs text-xs" data-testid="prompt-unseen">
          Read to the end to allow.
        </p>
      ) : null}
      <p className="text-ink-3 text-xs">{words.allow_session}</p>
      <details className="text-ink-3 text-xs">
        <summary className="w-fit hover:text-ink">What each answer does</summary>
        <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3">
          <dt>Allow</dt>
          <dd>{words.allow}</dd>
          <dt>Deny</dt>
          <dd>{words.deny}</dd>
          <dt>Stop turn</dt>
          <dd>{words.abort}</dd>
        </dl>
      </details>
    </>
  )
}
