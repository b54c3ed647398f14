'use client'
import type { BackendManifestEntry, SessionSettings } from '@roundhouse/backend-types'
import { useState } from 'react'
import { type MoreDraft, type MoreField, moreDraft, moreErrors, moreSettings } from './more-draft'
import { isReadable, readBudget } from './tree-budget'

/** What the person has written under "More", for whichever machine and program. */
export function useMore(like: Partial<SessionSettings> | undefined) {
  const [draft, setDraft] = useState(() => moreDraft(like))
  const [budget, setBudget] = useState('')
  const [open, setOpen] = useState(false)
  const [said, setSaid] = useState<{ field: MoreField; message: string } | null>(null)
  const [refusals, setRefusals] = useState(0)
  return {
    draft,
    budget,
    setBudget,
    budgetError: refusals > 0 && isOddBudget(budget) ? 'The budget is a number of US dollars.' : undefined,
    open,
    setOpen,
    refusals,
    write: (change: Partial<MoreDraft>) => {
      if (said && said.field in change) setSaid(null)
      setDraft((before) => ({ ...before, ...change }))
    },
    /** `message` as the hub said it. */
    refuse: (field: MoreField, message: string) => {
      setSaid({ field, message })
      setOpen(true)
      setRefusals((count) => count + 1)
    },
    errorsFor: (backend: BackendManifestEntry) => ({
      // Nothing is wrong with what is only half written.
      ...(refusals > 0 ? moreErrors(draft, backend) : {}),
      ...(said ? { [said.field]: said.message } : {}),
    }),
    /** Null, with the section open at the field, where something cannot be. */
    settingsFor: (backend: BackendManifestEntry): Partial<SessionSettings> | null => {
      if (Object.keys(moreErrors(draft, backend)).length === 0 && !isOddBudget(budget))
        return moreSettings(draft, backend)
      setOpen(true)
      setRefusals((count) => count + 1)
      return null
    },
  }
}
const isOddBudget = (text: string) => !isReadable(readBudget({ usd: text }))

export type More = ReturnType<typeof useMore>
