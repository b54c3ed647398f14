'use client'
import { late } from '../../../ui/overlays/late'
import type { FindControlsProps } from './find-controls'

const FindControls = late<FindControlsProps>(() => import('./find-controls').then((module) => module.FindControls))

/** Its field appears at once, so that no typed letter goes elsewhere. */
export function FindBar({ find, older, loadOlder }: FindControlsProps) {
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
      <FindControls find={find} older={older} loadOlder={loadOlder} />
    </search>
  )
}
