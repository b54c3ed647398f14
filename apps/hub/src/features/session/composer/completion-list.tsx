'use client'
import { clsx } from 'clsx'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { CodeText } from '../../../ui/text/code-text'

export interface Suggestion {
  /** The text that replaces what was typed. */
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

/** If not all rows fit, the last visible row is shown whole: half a name could be read as another name. */
function endWithWholeRow(list: HTMLElement): void {
  list.style.maxHeight = ''
  if (list.scrollHeight <= list.clientHeight) return
  const ends = [...list.children].map((row) => (row instanceof HTMLElement ? row.offsetTop + row.offsetHeight : 0))
  const last = ends.findLast((end) => end <= list.clientHeight)
  if (last !== undefined) list.style.maxHeight = `${last + list.offsetHeight - list.clientHeight}px`
}

/** The suggestions above the text box, which keeps the focus. The list has space of its own, so it covers nothing. */
export function CompletionList({ id, suggestions, active, idOf, onAccept }: ListProps) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows have other heights
  useLayoutEffect(() => {
    if (list.current) endWithWholeRow(list.current)
  }, [suggestions])
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
      className="max-h-[min(13rem,25dvh)] overflow-y-auto overscroll-contain border-line border-b p-1 max-md:basis-full"
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
            'flex min-h-9 cursor-pointer items-baseline gap-x-3 rounded-lg px-2.5 py-1.5 text-sm max-md:min-h-11 max-md:flex-col max-md:justify-center',
            index === active ? 'bg-accent-soft' : 'hover:bg-sunken',
          )}
        >
          <span className={clsx('font-mono text-ink', suggestion.detail ? 'shrink-0' : 'min-w-0 break-all')}>
            <CodeText>{suggestion.label}</CodeText>
            {suggestion.hint ? (
              <>
                {' '}
                <span className="inline-block max-w-[18ch] truncate align-bottom text-ink-3">{suggestion.hint}</span>
              </>
            ) : null}
          </span>
          {suggestion.detail ? (
            <span className="min-w-0 truncate text-ink-2 max-md:max-w-full">{suggestion.detail}</span>
          ) : null}
        </div>
      ))}
    </div>
  )
}
