'use client'
import { KeyRound } from 'lucide-react'
import { useRouter, useSearchParams } from 'next/navigation'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/forms/button'
import { Field } from '../../ui/forms/field'
import { ErrorNotice } from '../../ui/forms/notice'
import { onForm } from '../../ui/forms/on-form'
import { SubmitButton } from '../../ui/forms/submit-button'
import { orRefused, type Refused } from './auth-post'
import { CodeField } from './code-field'
import { KeyNotice } from './key-notice'
import { signInWithPasskey, usePasskeysWork } from './passkey'
import { ProviderSignIn } from './provider-sign-in'
import { safeNext } from './safe-next'
import { showCode, signIn } from './sign-in'
import { useHealth } from './use-health'

/** Password, then a code if one is required; or a passkey, which is both. */
export function LoginForm() {
  const router = useRouter()
  const asked = useSearchParams()
  const next = safeNext(asked.get('next'))
  const passkeysWork = usePasskeysWork()
  const [codeNeeded, setCodeNeeded] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Refused | null>(null)

  const setupRequired = useHealth()?.setupRequired === true
  useEffect(() => {
    if (setupRequired) router.replace('/setup')
  }, [setupRequired, router])

  async function attempt(make: () => Promise<Refused | null | 'in' | 'codeNeeded'>) {
    setBusy(true)
    setError(null)
    const outcome = await orRefused(make())
    if (outcome === null || outcome === 'in') return location.assign(next)
    setBusy(false)
    setCodeNeeded(outcome === 'codeNeeded' || (codeNeeded && outcome.code !== 'AUTH_REQUIRED'))
    if (outcome !== 'codeNeeded') setError(outcome)
  }

  const submit = onForm((form) => {
    const text = (name: string) => String(form.get(name))
    void attempt(() => (codeNeeded ? showCode(text('code')) : signIn(text('email'), text('password'))))
  })

  return (
    <>
      {asked.has('ended') && !error && !codeNeeded ? (
        <p role="status" className="mb-4 rounded-md bg-sunken px-3 py-2 text-sm">
          You were signed out: your login expired or was ended on another device. Sign in to continue where you left
          off.
        </p>
      ) : null}
      <KeyNotice sent={asked.has('next') && !asked.has('ended')} />
      <form method="post" onSubmit={submit} className="space-y-4">
        {codeNeeded ? (
          <CodeField autoFocus />
        ) : (
          <>
            <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
            <Field label="Password" name="password" type="password" autoComplete="current-password" required />
          </>
        )}
        {error ? <ErrorNotice error={error} /> : null}
        <SubmitButton disabled={busy}>{busy ? 'Signing in…' : 'Sign in'}</SubmitButton>
        {codeNeeded ? (
          <Button look="plain" disabled={busy} className="w-full" onClick={() => setCodeNeeded(false)}>
            Back
          </Button>
        ) : null}
        {passkeysWork && !codeNeeded ? (
          <Button
            disabled={busy}
            className="w-full"
            icon={<KeyRound className="size-3.5" aria-hidden />}
            onClick={() => void attempt(signInWithPasskey)}
          >
            Use a passkey
          </Button>
        ) : null}
      </form>
      {codeNeeded ? null : <ProviderSignIn next={next} refused={asked.get('refused')} />}
    </>
  )
}
