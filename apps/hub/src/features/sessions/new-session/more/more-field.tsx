'use client'
import { clsx } from 'clsx'
import { type ReactNode, useId } from 'react'
import { inputClass } from '../../../../ui/forms/field'

/** As high as its rows. */
const areaClass =
  'block w-full resize-y rounded-md border border-line-strong bg-surface px-2.5 py-1.5 text-base text-ink placeholder:text-ink-3 focus-visible:outline-offset-0'

interface MoreFieldProps {
  label: string
  value: string
  onWrite: (value: string) => void
  hint?: ReactNode
  error?: string | undefined
  /** Of a text area; without it, one line. */
  rows?: number
  /** Names of the machine: paths, tools, patterns. */
  code?: boolean
  placeholder?: string
  inputMode?: 'numeric' | 'decimal'
}

/** A labelled text of one or more lines that says what is wrong with it. */
export function MoreField({ label, value, onWrite, hint, error, rows, code, ...rest }: MoreFieldProps) {
  const id = useId()
  const about = [error ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ')
  const common = {
    id,
    value,
    spellCheck: !code,
    autoComplete: 'off',
    ...(code ? { autoCapitalize: 'none' } : {}),
    'aria-invalid': error ? true : undefined,
    'aria-describedby': about || undefined,
    ...rest,
  }
  const look = clsx(code && 'font-mono text-sm', error && 'border-failed')
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block font-medium text-ink-2 text-sm">
        {label}
      </label>
      {rows === undefined ? (
        <input {...common} className={clsx(inputClass, look)} onChange={(event) => onWrite(event.target.value)} />
      ) : (
        <textarea
          {...common}
          rows={rows}
          className={clsx(areaClass, look)}
          onChange={(event) => onWrite(event.target.value)}
        />
      )}
      {error ? (
        <p id={`${id}-error`} className="mt-1 text-failed text-xs [overflow-wrap:anywhere]">
          {error}
        </p>
      ) : null}
      {hint ? (
        <p id={`${id}-hint`} className="mt-1 text-ink-3 text-xs">
          {hint}
        </p>
      ) : null}
    </div>
  )
}
