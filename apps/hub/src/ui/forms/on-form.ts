import type { FormEvent } from 'react'

/** For `onSubmit`: the page stays where it is, and what was written goes to `take`. */
export const onForm = (take: (form: FormData) => void) => (event: FormEvent<HTMLFormElement>) => {
  event.preventDefault()
  take(new FormData(event.currentTarget))
}

/** What stands in a field, without the blanks around it. */
export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()
