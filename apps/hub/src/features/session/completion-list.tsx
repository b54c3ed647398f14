'use client'
import { clsx } from 'clsx'
import { useEffect, useRef } from 'react'

export interface Suggestion {
  /** What takes the place of what was typed. */
  insert: string
  label: string
  detail?: string
  hint?: string
}

interface ListProps {
  id: string
  suggestions: readonly Suggestion[]
  active: number
  idOf(index: number): string
  onAccept(suggestion: Suggestion): void
}

/** The options below which one writes: the focus stays in the box. */
export function CompletionList({ id, suggestions, active, idOf, onAccept }: ListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label="Suggestions"
      tabIndex={-1}
      className="absolute inset-x-0 bottom-full z-20 mb-1.5 max-h-[min(18rem,40dvh)] overflow-y-auto overscroll-contain rounded-xl border border-line-strong bg-raised p-1 shadow-lg"
    >
      {suggestions.map((suggestion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are pressed in the box
        <div
          key={suggestion.insert}
          id={idOf(index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onAccept(suggestion)}
          className={clsx(
            'flex min-h-9 cursor-pointer items-baseline gap-x-3 rounded-lg px-2.5 py-1.5 text-sm max-md:min-h-11 max-md:flex-col',
            index === active ? 'bg-accent-soft' : 'hover:bg-sunken',
          )}
        >
          <span className="shrink-0 font-mono text-ink">
            {suggestion.label}
            {suggestion.hint ? <span className="text-ink-3"> {suggestion.hint}</span> : null}
          </span>
          {suggestion.detail ? (
            <span className="min-w-0 truncate text-ink-2 max-md:max-w-full">{suggestion.detail}</span>
          ) : null}
        </div>
      ))}
    </div>
  )
}
