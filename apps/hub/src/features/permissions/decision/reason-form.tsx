'use client'
import { REASON_LIMIT } from '@roundhouse/backend-types'
import { Button } from '../../../ui/forms/button'

interface ReasonFormProps {
  label: string
  placeholder: string
  /** The label of the send button. */
  send: string
  disabled: boolean
  reason: string
  /** `null` returns to the other decisions. */
  onReason: (reason: string | null) => void
  onSend: () => void
}

/** A text to the model that accompanies a refusal. */
export function ReasonForm({ label, placeholder, send, disabled, reason, onReason, onSend }: ReasonFormProps) {
  return (
    <form
      className="flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field; one that a reload brought back is not asked for
        autoFocus={reason === ''}
        aria-label={label}
        placeholder={placeholder}
        value={reason}
        onChange={(event) => onReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onReason(null)
        }}
        maxLength={REASON_LIMIT}
        className="h-8 min-w-0 flex-1 basis-56 rounded-md border border-line-strong bg-surface px-2.5 text-sm pointer-coarse:h-10"
      />
      {reason.length > REASON_LIMIT - 200 ? (
        <p className="basis-full text-ink-3 text-xs" aria-live="polite">
          {`${reason.length} of ${REASON_LIMIT} characters`}
        </p>
      ) : null}
      <Button type="submit" look="danger" disabled={disabled}>
        {send}
      </Button>
      <Button look="plain" onClick={() => onReason(null)}>
        Back
      </Button>
    </form>
  )
}
