'use client'
import type { FormField, FormOption } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { useState } from 'react'
import { inputClass } from '../../../ui/forms/field'
import { late } from '../../../ui/overlays/late'
import { PlainText } from '../../../ui/text/plain-text'
import { choose, type FieldDraft, optionsOf, takesMany, takesOwn } from '../decision/answer-draft'
import { KeyHint } from '../decision/key-hint'
import type { OptionPreviewProps } from './option-preview'

const OptionPreview = late<OptionPreviewProps>(() => import('./option-preview').then((module) => module.OptionPreview))

export interface QuestionOptionsProps {
  id: string
  field: FormField
  value: FieldDraft
  /** The number keys apply to this question. */
  showKeys: boolean
  onChange: (value: FieldDraft) => void
}

/** The options of a question, each with its description and its key. The last one may be the person's own answer. */
export function QuestionOptions({ id, field, value, showKeys, onChange }: QuestionOptionsProps) {
  const options = optionsOf(field) ?? []
  const type = takesMany(field) ? 'checkbox' : 'radio'
  const row = 'flex items-start gap-2 rounded-md border px-2.5 py-1.5 text-sm pointer-coarse:py-2.5'
  const look = (isChosen: boolean) => (isChosen ? 'border-accent bg-sunken' : 'border-line hover:bg-sunken')
  const keyOf = (index: number) => <KeyHint on={showKeys && index < 9}>{String(index + 1)}</KeyHint>
  const [looked, setLooked] = useState<Looked>()
  const seen = previewed(options, value.chosen, looked)
  const list = (
    <div className="min-w-0 space-y-1.5">
      {options.map((option, index) => {
        const isChosen = value.chosen.includes(option.value)
        return (
          <label key={option.value} className={clsx(row, look(isChosen))}>
            <input
              type={type}
              name={id}
              className="mt-1 accent-accent"
              checked={isChosen}
              aria-describedby={option.about ? `${id}-about-${index}` : undefined}
              aria-labelledby={`${id}-option-${index}`}
              onFocus={() => setLooked({ option: option.value, chosen: value.chosen })}
              onChange={() => onChange(choose(field, value, option.value))}
            />
            <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <span id={`${id}-option-${index}`}>
                <PlainText>{option.label}</PlainText>
              </span>
              {option.about ? (
                <span id={`${id}-about-${index}`} className="block text-ink-2 text-xs">
                  <PlainText>{option.about}</PlainText>
                </span>
              ) : null}
            </span>
            {keyOf(index)}
          </label>
        )
      })}
      {takesOwn(field) ? (
        <div className={clsx(row, look(value.own), 'flex-wrap')}>
          <label className="flex flex-1 items-start gap-2">
            <input
              type={type}
              name={id}
              className="mt-1 accent-accent"
              checked={value.own}
              onChange={() => onChange(choose(field, value, null))}
            />
            Other
          </label>
          {keyOf(options.length)}
          {value.own ? (
            <input
              id={`${id}-own`}
              aria-label="Your own answer"
              autoComplete="off"
              value={value.text}
              onChange={(event) => onChange({ ...value, text: event.target.value })}
              className={clsx(inputClass, 'basis-full text-sm')}
            />
          ) : null}
        </div>
      ) : null}
    </div>
  )
  if (!seen) return <div className="mt-1.5">{list}</div>
  return (
    <div className="mt-1.5 grid gap-3 sm:grid-cols-2">
      {list}
      <OptionPreview label={seen.label} preview={seen.preview} />
    </div>
  )
}

/** The focused option, and what was chosen when it got the focus. */
interface Looked {
  option: string
  chosen: readonly string[]
}

/** The focused option. After a choice: the option that was chosen last. Before either: the first one with a preview. */
function previewed(options: readonly FormOption[], chosen: readonly string[], looked: Looked | undefined) {
  if (!options.some(({ preview }) => preview)) return undefined
  const value = looked?.chosen === chosen ? looked.option : chosen.at(-1)
  return options.find((option) => option.value === value) ?? options.find(({ preview }) => preview)
}
