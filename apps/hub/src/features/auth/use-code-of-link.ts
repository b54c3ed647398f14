'use client'
import { type RefObject, useEffect, useRef } from 'react'

/**
 * A one-time code comes in the URL's fragment, which no server ever sees, or is typed. It does not stay in the address.
 * Who has the page open already and pastes the link changes the fragment alone.
 */
export function useCodeOfLink(): RefObject<HTMLInputElement | null> {
  const code = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const take = () => {
      if (location.hash.length > 1 && code.current) code.current.value = location.hash.slice(1)
      focusFirstEmpty(code.current?.form)
      if (location.hash) history.replaceState(null, '', location.pathname)
    }
    take()
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  return code
}

function focusFirstEmpty(form: HTMLFormElement | null | undefined): void {
  const fields = [...(form?.querySelectorAll('input') ?? [])]
  fields.find(({ value }) => value === '')?.focus()
}
