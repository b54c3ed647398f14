'use client'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/forms/button'
import type { Find } from './use-find'

export interface FindControlsProps {
  find: Find
  /** There are older events that were not searched. */
  older: boolean
  loadOlder: () => Promise<boolean>
}

/** Shows the number of matches and moves between them. */
export function FindControls({ find, older, loadOlder }: FindControlsProps) {
  const [loading, setLoading] = useState(false)
  const look = 'rounded p-1 text-ink-2 hover:bg-sunken hover:text-ink disabled:opacity-40'
  return (
    <>
      <output className="min-w-14 px-1 text-right text-ink-3 text-xs tabular-nums">
        {find.query.trim() === '' ? '' : find.count === 0 ? 'none' : `${find.position || '–'} of ${find.count}`}
      </output>
      <button
        type="button"
        aria-label="Previous match"
        disabled={find.count === 0}
        onClick={() => find.go(-1)}
        className={look}
      >
        <ChevronUp className="size-4" aria-hidden />
      </button>
      <button
        type="button"
        aria-label="Next match"
        disabled={find.count === 0}
        onClick={() => find.go(1)}
        className={look}
      >
        <ChevronDown className="size-4" aria-hidden />
      </button>
      {older ? (
        <Button
          size="sm"
          disabled={loading}
          title="Older events have not been searched yet"
          onClick={() => {
            setLoading(true)
            void loadOlder().finally(() => setLoading(false))
          }}
        >
          {loading ? 'Loading…' : 'Search older events'}
        </Button>
      ) : null}
      <button type="button" aria-label="Close" onClick={find.close} className={look}>
        <X className="size-4" aria-hidden />
      </button>
    </>
  )
}
