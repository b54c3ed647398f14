'use client'
import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { Suggestion } from './completion-list'

interface Keys {
  box: RefObject<HTMLTextAreaElement | null>
  suggestions: readonly Suggestion[]
  /** The typed text. A change selects the first suggestion again. */
  query: string
  onAccept(suggestion: Suggestion): void
  onClose(): void
}

/**
 * Makes the box a combobox while there are suggestions: arrows choose, Enter and Tab accept, Escape closes. Enter sends
 * a text that is complete. These keys are handled before the composer's own.
 */
export function useCompletionKeys({ box, suggestions, query, onAccept, onClose }: Keys) {
  const id = useId()
  const [chosen, setChosen] = useState({ query, index: 0 })
  const active = chosen.query === query ? Math.min(chosen.index, suggestions.length - 1) : 0
  const isOpen = suggestions.length > 0
  const idOf = (index: number) => `${id}-${index}`

  const act = (event: KeyboardEvent): boolean => {
    const suggestion = suggestions[active]
    if (!isOpen || !suggestion || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      setChosen({ query, index: (active + step + suggestions.length) % suggestions.length })
      return true
    }
    if (event.shiftKey) return false
    if (event.key === 'Escape') {
      onClose()
      return true
    }
    const isWhole = suggestion.insert === `/${query}` || suggestion.insert === `@${query}`
    if (event.key === 'Tab' || (event.key === 'Enter' && !isWhole)) {
      onAccept(suggestion)
      return true
    }
    return false
  }
  const heard = useRef(act)
  useLayoutEffect(() => {
    heard.current = act
  })
  useEffect(() => {
    const element = box.current
    const onKey = (event: KeyboardEvent) => {
      if (!heard.current(event)) return
      event.preventDefault()
      event.stopPropagation()
    }
    element?.addEventListener('keydown', onKey)
    return () => element?.removeEventListener('keydown', onKey)
  }, [box])

  // A plain text box has no options, so it is a combobox only while it offers some.
  useLayoutEffect(() => {
    const element = box.current
    if (!isOpen || !element) return
    const told = {
      role: 'combobox',
      'aria-expanded': 'true',
      'aria-haspopup': 'listbox',
      'aria-autocomplete': 'list',
      'aria-controls': id,
      'aria-activedescendant': `${id}-${active}`,
    }
    for (const [name, value] of Object.entries(told)) element.setAttribute(name, value)
    return () => {
      for (const name of Object.keys(told)) element.removeAttribute(name)
    }
  }, [box, id, active, isOpen])
  return { id, isOpen, active, idOf }
}
