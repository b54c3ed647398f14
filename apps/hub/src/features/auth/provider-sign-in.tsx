'use client'
import { useState } from 'react'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { orRefused } from './auth-post'
import { goToProvider } from './go-to-provider'
import { refusalWords } from './refusal-words'
import { useHealth } from './use-health'

/** The sign-in button for the identity provider, if the hub has one. */
export function ProviderSignIn({ next, refused }: { next: string; refused: string | null }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<{ code: string; message: string } | null>(null)
  const provider = useHealth()?.identityProvider
  if (!provider) return null
  const shown = error ?? (busy ? null : refusalWords(refused, provider))
  async function leave() {
    setBusy(true)
    setError(await orRefused(goToProvider({ next })))
    setBusy(false)
  }
  return (
    <div className="mt-5 space-y-4 border-line border-t pt-5">
      {shown ? <ErrorNotice error={shown} /> : null}
      <Button className="w-full" disabled={busy} onClick={leave}>
        <span className="truncate">{busy ? 'One moment…' : `Sign in with ${provider}`}</span>
      </Button>
    </div>
  )
}
