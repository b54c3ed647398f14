import { clsx } from 'clsx'
import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from 'react'

export interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id'> {
  label: string
  hint?: ReactNode
  /** Id of the notice that says what is wrong with it. */
  wrong?: string | undefined
  ref?: Ref<HTMLInputElement>
}

export const inputClass =
  'h-9 pointer-coarse:h-11 w-full rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink placeholder:text-ink-3 focus-visible:outline-offset-0'

/** A labelled text input. */
export function Field({ label, hint, wrong, className, ...rest }: FieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium text-ink-2 text-sm">
        {label}
      </label>
      <input
        id={id}
        aria-describedby={[wrong, hint && `${id}-hint`].filter(Boolean).join(' ') || undefined}
        aria-invalid={wrong === undefined ? undefined : true}
        className={clsx(inputClass, wrong && 'border-failed', className)}
        {...rest}
      />
      {hint ? (
        <p id={`${id}-hint`} className="mt-1 text-ink-3 text-xs">
          {hint}
        </p>
      ) : null}
    </div>
  )
}
