'use client'
import { Button } from '../../../ui/forms/button'
import { AnswerKey } from '../answers/answer-key'
import { ReasonForm } from '../answers/reason-form'

interface QuestionAnswersProps {
  /** The id of the form that is sent. */
  form: string
  canSend: boolean
  hasFields: boolean
  canExplain: boolean
  disabled: boolean
  keys: boolean
  /** The turn that asked runs still. */
  canStop: boolean
  /** `null`: nobody is declining with a reason. */
  reason: string | null
  onReason: (reason: string | null) => void
  onDecline: () => void
  onDeny: () => void
  onStop: () => void
}

/** Send answer, Decline, Stop turn. */
export function QuestionAnswers(props: QuestionAnswersProps) {
  const { form, canSend, hasFields, canExplain, disabled, keys, canStop, reason, onReason, onDecline, onDeny, onStop } =
    props
  if (reason !== null) {
    return (
      <ReasonForm
        label="Reason for the model"
        placeholder="Reason for the model (optional)"
        send="Decline"
        disabled={disabled}
        reason={reason}
        onReason={onReason}
        onSend={onDeny}
      />
    )
  }
  return (
    <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      {canSend ? (
        <Button look="solid" type="submit" form={form} disabled={disabled} className="col-span-2">
          {hasFields ? 'Send answer' : 'Accept'} <AnswerKey on={keys}>↵</AnswerKey>
        </Button>
      ) : null}
      <Button disabled={disabled} onClick={onDecline}>
        {canExplain ? 'Decline…' : 'Decline'} <AnswerKey on={keys}>d</AnswerKey>
      </Button>
      {canStop ? (
        <Button data-stops-turn look="danger" disabled={disabled} onClick={onStop} className="sm:ml-auto">
          Stop turn <AnswerKey on={keys}>x</AnswerKey>
        </Button>
      ) : null}
    </div>
  )
}
