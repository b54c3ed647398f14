'use client'
import { Button } from '../../../ui/forms/button'
import { KeyHint } from '../decision/key-hint'
import { ReasonForm } from '../decision/reason-form'

interface QuestionButtonsProps {
  /** The id of the form to submit. */
  form: string
  canSend: boolean
  hasFields: boolean
  canExplain: boolean
  disabled: boolean
  keys: boolean
  /** The turn that asked is still running. */
  canStop: boolean
  /** `null` if nobody is writing a reason. */
  reason: string | null
  onReason: (reason: string | null) => void
  onDecline: () => void
  onDeny: () => void
  onStop: () => void
}

/** The buttons Send answer, Decline and Stop turn. */
export function QuestionButtons(props: QuestionButtonsProps) {
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
          {hasFields ? 'Send answer' : 'Accept'} <KeyHint on={keys}>↵</KeyHint>
        </Button>
      ) : null}
      <Button disabled={disabled} onClick={onDecline}>
        {canExplain ? 'Decline…' : 'Decline'} <KeyHint on={keys}>d</KeyHint>
      </Button>
      {canStop ? (
        <Button data-stops-turn look="danger" disabled={disabled} onClick={onStop} className="sm:ml-auto">
          Stop turn <KeyHint on={keys}>x</KeyHint>
        </Button>
      ) : null}
    </div>
  )
}
