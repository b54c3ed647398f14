'use client'
import type { FormField } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { inputClass } from '../../../ui/forms/field'
import { PlainText } from '../../../ui/text/plain-text'
import { optionsOf, takesMany } from '../decision/answer-draft'
import { QuestionOptions, type QuestionOptionsProps } from './question-options'

interface QuestionFieldProps extends QuestionOptionsProps {
  problem: string | undefined
  /** The field that number keys and Enter apply to. */
  isMarked: boolean
  disabled: boolean
  onFocus: () => void
}

/** One question: a choice or a text field. */
export function QuestionField(props: QuestionFieldProps) {
  const { id, field, value, problem, isMarked, disabled, onChange, onFocus } = props
  const described = [field.about ? `${id}-about` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ')
  const describedBy = described === '' ? undefined : described
  return (
    <fieldset
      id={id}
      disabled={disabled}
      aria-describedby={describedBy}
      onFocus={onFocus}
      className={clsx('min-w-0 border-l-2 pl-3', isMarked ? 'border-accent' : 'border-transparent')}
    >
      <legend className="contents">
        {field.header ? (
          <span className="block font-medium text-ink-3 text-xs">
            <PlainText>{field.header}</PlainText>
          </span>
        ) : null}
        <span id={`${id}-label`} className="block font-medium text-sm [overflow-wrap:anywhere]">
          <PlainText>{field.label}</PlainText>
          {field.required ? null : <span className="font-normal text-ink-3"> (optional)</span>}
        </span>
      </legend>
      {field.about ? (
        <p id={`${id}-about`} className="text-ink-2 text-xs [overflow-wrap:anywhere]">
          <PlainText>{field.about}</PlainText>
        </p>
      ) : null}
      {takesMany(field) ? <p className="text-ink-3 text-xs">Choose any that apply.</p> : null}
      {optionsOf(field) ? (
        <QuestionOptions {...props} />
      ) : (
        <input
          {...inputOf(field)}
          aria-labelledby={`${id}-label`}
          aria-describedby={describedBy}
          aria-required={field.required}
          aria-invalid={problem !== undefined}
          autoComplete="off"
          value={value.text}
          onChange={(event) => onChange({ ...value, text: event.target.value })}
          className={clsx(inputClass, 'mt-1.5 max-w-lg text-sm')}
        />
      )}
      {!field.required && value.chosen.length > 0 ? (
        <button
          type="button"
          className="mt-1 text-ink-3 text-xs underline underline-offset-4 hover:text-ink"
          onClick={() => onChange({ chosen: [], own: false, text: '' })}
        >
          Clear
        </button>
      ) : null}
      {problem ? (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-failed text-xs">
          {problem}
        </p>
      ) : null}
    </fieldset>
  )
}

const types = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const

function inputOf(field: FormField): { type: string; inputMode?: 'decimal' | 'numeric' } {
  if (field.kind === 'number') return { type: 'text', inputMode: field.integer ? 'numeric' : 'decimal' }
  if (field.kind !== 'text') return { type: 'text' }
  if (field.secret) return { type: 'password' }
  return { type: field.format === undefined ? 'text' : types[field.format] }
}
