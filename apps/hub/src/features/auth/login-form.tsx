'use client'
import { useSearchParams } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { ErrorNotice } from '../../ui/notice'
import { ProviderSignIn } from './provider-sign-in'
import { safeNext } from './safe-next'
import { signIn } from './sign-in'

export function LoginForm() {
  const asked = useSearchParams()
  const next = safeNext(asked.get('next'))
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<{ code: string; message: string } | null>(null)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    const refused = await signIn(String(form.get('email')), String(form.get('password')))
    if (refused) {
      setError(refused)
      setBusy(false)
    } else location.assign(next)
  }

  return (
    <>
      <form onSubmit={submit} className="space-y-4">
        <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        {error ? <ErrorNotice error={error} /> : null}
        <Button type="submit" look="solid" disabled={busy} className="w-full">
          {busy ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
      <ProviderSignIn next={next} refused={asked.get('refused')} />
    </>
  )
}
