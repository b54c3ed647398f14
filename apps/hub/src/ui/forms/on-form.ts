import type { FormEvent } from 'react'

/** For `onSubmit`: prevents the navigation and passes the values to `take`. */
export const onForm = (take: (form: FormData) => void) => (event: FormEvent<HTMLFormElement>) => {
  event.preventDefault()
  take(new FormData(event.currentTarget))
}

/** A field's value without surrounding spaces. */
export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()
