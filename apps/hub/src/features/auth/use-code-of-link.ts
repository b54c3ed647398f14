'use client'
import { type RefObject, useEffect, useRef, useState } from 'react'

interface CodeOfLink {
  field: RefObject<HTMLInputElement | null>
  /** The part of the link after its code and an `&`. */
  beside: string
}

/**
 * A one-time code comes in the URL's fragment, which no server ever sees, or is typed. It is removed from the address.
 * If the page is open already, pasting the link only changes the fragment.
 */
export function useCodeOfLink(): CodeOfLink {
  const field = useRef<HTMLInputElement>(null)
  const [beside, setBeside] = useState('')
  useEffect(() => {
    const take = () => {
      const [code, ...rest] = location.hash.slice(1).split('&')
      if (code && field.current) field.current.value = code
      focusFirstEmpty(field.current?.form)
      if (location.hash) {
        setBeside(rest.join('&'))
        history.replaceState(null, '', location.pathname)
      }
    }
    take()
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what stands beside the code may change which fields there are
  useEffect(() => focusFirstEmpty(field.current?.form), [beside])
  return { field, beside }
}

function focusFirstEmpty(form: HTMLFormElement | null | undefined): void {
  const fields = [...(form?.querySelectorAll('input') ?? [])]
  fields.find(({ value }) => value === '')?.focus()
}
