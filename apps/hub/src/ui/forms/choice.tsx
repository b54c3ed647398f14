'use client'
import { clsx } from 'clsx'
import { type SelectHTMLAttributes, useId } from 'react'
import { inputClass } from './field'

export interface ChoiceOption {
  value: string
  label: string
  disabled?: boolean
  title?: string
}

interface ChoiceProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'onChange'> {
  label: string
  options: readonly ChoiceOption[]
  onChoose: (value: string) => void
  /** Only the control is drawn; the label is for screen readers. */
  bare?: boolean
  /** Id of the notice that says what is wrong with it. */
  wrong?: string | undefined
}

/** The platform's own select: works by keyboard, by touch and under any policy. */
export function Choice({ label, options, onChoose, bare = false, wrong, className, ...rest }: ChoiceProps) {
  const id = useId()
  return (
    <div className={bare ? 'shrink-0' : ''}>
      <label htmlFor={id} className={bare ? 'sr-only' : 'mb-1 block font-medium text-ink-2 text-sm'}>
        {label}
      </label>
      <select
        id={id}
        className={clsx(
          bare
            ? 'h-7 max-w-full truncate rounded-md border border-transparent bg-transparent px-1.5 text-ink-2 text-xs hover:border-line-strong'
            : inputClass,
          wrong && 'border-failed',
          className,
        )}
        aria-invalid={wrong === undefined ? undefined : true}
        aria-describedby={wrong}
        onChange={(event) => onChoose(event.target.value)}
        {...rest}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled} title={option.title}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}
