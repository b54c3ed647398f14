'use client'
import type { OfferedScope } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../../ui/forms/button'
import { PlainText } from '../../ui/text/plain-text'

interface ScopeChooserProps {
  /** The label of the form and of its button. */
  label: string
  /** Completes the sentence above the scopes. */
  legend: ReactNode
  /** For how long, and that it can be revoked. */
  until: string
  scopes: readonly OfferedScope[]
  /** The buttons are not armed yet, the person has not read to the end, or a decision is on its way. */
  disabled: boolean
  onAllow: (scopeId: string) => void
  onBack: () => void
}

/** Chooses what an active permission or a rule covers, in words. Digits and arrows choose, Enter allows, Escape goes back. */
export function ScopeChooser({ label, legend, until, scopes, disabled, onAllow, onBack }: ScopeChooserProps) {
  const [chosen, setChosen] = useState(scopes[0]?.scopeId)
  const name = useId()
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen !== undefined && !disabled) onAllow(chosen)
      }}
      onKeyDown={(event) => {
        const digit = scopes[Number(event.key) - 1]
        if (event.key === 'Escape') onBack()
        else if (digit && !event.repeat) setChosen(digit.scopeId)
        else return
        event.stopPropagation()
        event.preventDefault()
      }}
    >
      <fieldset className="space-y-1">
        <legend className="mb-1 text-sm [overflow-wrap:anywhere]">{legend}</legend>
        {scopes.map(({ scopeId, label: words }, index) => (
          <label
            key={scopeId}
            className={clsx(
              'flex min-h-9 items-start gap-2 rounded-md border px-2.5 py-1.5 text-sm',
              chosen === scopeId ? 'border-accent bg-accent-soft' : 'border-line hover:border-line-strong',
            )}
          >
            <input
              type="radio"
              name={name}
              value={scopeId}
              checked={chosen === scopeId}
              // biome-ignore lint/a11y/noAutofocus: the person has just asked for this choice
              autoFocus={index === 0}
              onChange={() => setChosen(scopeId)}
              className="mt-1 shrink-0 accent-accent"
            />
            <span className="min-w-0 flex-1 first-letter:uppercase [overflow-wrap:anywhere]">
              <PlainText>{words}</PlainText>
            </span>
            <kbd aria-hidden className="mt-0.5 hidden font-mono text-[10px] text-ink-3 pointer-fine:inline">
              {index + 1}
            </kbd>
          </label>
        ))}
      </fieldset>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button type="submit" look="solid" disabled={disabled}>
          {label}
        </Button>
        <Button look="plain" onClick={onBack}>
          Back
        </Button>
        <span className="text-ink-3 text-xs">{until}</span>
      </div>
    </form>
  )
}
