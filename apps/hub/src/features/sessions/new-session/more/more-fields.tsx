'use client'
import type { BackendManifestEntry } from '@roundhouse/backend-types'
import { type ReactNode, useId } from 'react'
import { Choice } from '../../../../ui/forms/choice'
import { type MoreDraft, type MoreErrors, type MoreField as MoreName, moreLabels, notOffered } from './more-draft'
import { MoreField } from './more-field'

export interface MoreFieldsProps {
  draft: MoreDraft
  write: (change: Partial<MoreDraft>) => void
  errors: MoreErrors
  backend: BackendManifestEntry
  /** For sessions that it starts, in US dollars. Empty: it starts none. */
  budget: string
  writeBudget: (budget: string) => void
  budgetError: string | undefined
}

const ruleChoices = [
  { value: '', label: 'Asks (default)' },
  { value: 'allow', label: 'Runs without asking' },
  { value: 'deny', label: 'Is denied' },
]

/** The fields under "More" that the program takes. */
export function MoreFields({ draft, write, errors, backend, budget, writeBudget, budgetError }: MoreFieldsProps) {
  const everythingElse = useId()
  const takes = (name: MoreName) => notOffered(backend, name) === null
  const text = (name: Exclude<MoreName, 'useBrainCore' | 'defaultDecision'>) => ({
    label: moreLabels[name],
    value: draft[name],
    error: errors[name],
    onWrite: (value: string) => write({ [name]: value }),
  })
  const lacks = new Set((Object.keys(moreLabels) as MoreName[]).flatMap((name) => notOffered(backend, name) ?? []))
  return (
    <div className="space-y-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <div>
          <MoreField
            {...text('roleId')}
            code
            placeholder="reviewer"
            hint="The program gets the notes that the machine keeps for this role."
          />
          <label className="mt-2 flex items-center gap-2 pointer-coarse:py-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={draft.useBrainCore}
              disabled={draft.roleId.trim() === ''}
              onChange={(event) => write({ useBrainCore: event.target.checked })}
            />
            <span className={draft.roleId.trim() === '' ? 'text-ink-3' : ''}>{moreLabels.useBrainCore}</span>
          </label>
        </div>
        <MoreField
          {...text('maxOutputTokens')}
          inputMode="numeric"
          placeholder="32000"
          hint={
            backend.capabilities.limitsOutput === false
              ? `Tokens. ${backend.label} has no such limit: it only moves the warning of a full context.`
              : 'Tokens of one answer. It goes down by itself when the context is nearly full.'
          }
        />
      </div>
      <MoreField {...text('systemPrompt')} rows={3} hint="Added to the program’s own instructions." />
      {takes('additionalDirs') ? (
        <MoreField
          {...text('additionalDirs')}
          rows={2}
          code
          hint="One in each line, inside the folders that this machine allows."
        />
      ) : null}
      {takes('allowedTools') ? (
        <Pair>
          <MoreField
            {...text('allowedTools')}
            rows={2}
            code
            hint="One in each line. They run without asking, if the machine’s policy accepts that."
          />
          <MoreField
            {...text('disallowedTools')}
            rows={2}
            code
            hint="One in each line. The program does not use them."
          />
        </Pair>
      ) : null}
      {takes('allowPatterns') ? (
        <fieldset className="space-y-3">
          <legend className="mb-1 font-semibold text-sm">Permission rules</legend>
          <p className="text-ink-3 text-xs">
            A tool, such as <code>Write</code>, or commands, such as <code>Bash(pnpm:*)</code>. One in each line; a
            denial comes first.
          </p>
          <Pair>
            <MoreField {...text('allowPatterns')} rows={2} code hint="Only if the machine’s policy accepts that." />
            <MoreField {...text('disallowPatterns')} rows={2} code />
          </Pair>
          <Choice
            label={moreLabels.defaultDecision}
            value={draft.defaultDecision}
            options={ruleChoices}
            wrong={errors.defaultDecision && everythingElse}
            onChoose={(value) => write({ defaultDecision: value as MoreDraft['defaultDecision'] })}
          />
          {errors.defaultDecision ? (
            <p id={everythingElse} className="text-failed text-xs">
              {errors.defaultDecision}
            </p>
          ) : null}
        </fieldset>
      ) : null}
      <MoreField
        label="May start other sessions, for US dollars"
        value={budget}
        error={budgetError}
        onWrite={writeBudget}
        inputMode="decimal"
        placeholder="5"
        hint="Empty: it starts none. Otherwise its program may start sessions by itself, in your name, on the machines that you may use, with the limits of this one. All of them end when they have cost this much."
      />
      {lacks.size > 0 ? <p className="text-ink-3 text-xs">{[...lacks].join(' ')}</p> : null}
    </div>
  )
}

const Pair = ({ children }: { children: ReactNode }) => <div className="grid gap-3 sm:grid-cols-2">{children}</div>
