'use client'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button'
import type { Find } from './use-find'

interface FindBarProps {
  find: Find
  /** There are events before those that were looked through. */
  older: boolean
  loadOlder: () => Promise<boolean>
}

export function FindBar({ find, older, loadOlder }: FindBarProps) {
  const [loading, setLoading] = useState(false)
  const look = 'rounded p-1 text-ink-2 hover:bg-sunken hover:text-ink disabled:opacity-40'
  return (
    <search className="absolute top-2 right-3 left-3 z-20 flex flex-wrap items-center gap-1 rounded-lg border border-line-strong bg-raised p-1.5 shadow-pop sm:left-auto">
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        data-find
        aria-label="Find in this session"
        placeholder="Find in this session"
        value={find.query}
        onChange={(event) => find.setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find.go(event.shiftKey ? 1 : -1)
          else if (event.key === 'Escape') find.close()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
        className="h-7 min-w-0 flex-1 rounded border border-line bg-surface px-2 text-sm sm:w-56"
      />
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
    </search>
  )
}
