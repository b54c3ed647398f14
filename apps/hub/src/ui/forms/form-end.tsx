import { toCodedError } from '@roundhouse/backend-types'
import { Button } from './button'
import { ErrorNotice } from './notice'

export interface FormEndProps {
  /** What sending it does, as a word of the button. */
  action: string
  /** What went wrong at the last try. */
  error: unknown
  busy: boolean
  onCancel: () => void
}

/** The end of a dialog's form: the error, the cancel button, the submit button. */
export function FormEnd({ action, error, busy, onCancel }: FormEndProps) {
  return (
    <>
      {error ? <ErrorNotice error={toCodedError(error).toBody()} /> : null}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="solid" disabled={busy}>
          {action}
        </Button>
      </div>
    </>
  )
}
