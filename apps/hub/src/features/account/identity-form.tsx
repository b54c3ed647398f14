'use client'
import { type OwnProof, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { type FormEvent, useEffect, useRef } from 'react'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { ErrorNotice } from '../../ui/notice'
import { ago } from '../../ui/time'
import { goToProvider } from '../auth/go-to-provider'
import { refusalWords } from '../auth/refusal-words'

export function IdentityForm({ provider, linkedAt }: { provider: string; linkedAt: number | null }) {
  const refused = useSearchParams().get('refused')
  const hub = useHub()
  const now = useNow()
  const factors = useQuery({ queryKey: ['factors'], queryFn: () => hub.rest.factors() })
  const isLinked = linkedAt !== null
  const { mutate, data, error, isPending, isIdle } = useChange(isLinked)
  const told = error ? toCodedError(error).toBody() : isIdle ? refusalWords(refused, provider) : data
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (refused) form.current?.scrollIntoView({ block: 'center' }) // whoever comes back looks for the reason
  }, [refused])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const code = String(fields.get('own-code') ?? '').trim()
    mutate({ password: String(fields.get('own')), ...(code ? { code } : {}) })
  }
  return (
    <form ref={form} onSubmit={submit} className="max-w-sm space-y-4">
      <p className="text-ink-2 text-sm">
        {isLinked
          ? `Linked ${ago(linkedAt, now)}. ${provider} lets you in without a password or a code of this hub.`
          : `Once linked, whoever ${provider} takes for you is you here, without a password or a code of this hub.`}
      </p>
      <Field label="Your password" name="own" type="password" autoComplete="current-password" required />
      {factors.data?.totp ? <Field label="A code" name="own-code" autoComplete="one-time-code" required /> : null}
      {told ? <ErrorNotice error={told} /> : null}
      <Button type="submit" disabled={isPending || (!isLinked && data === null)}>
        {isLinked ? 'Take the link apart' : 'Link'}
      </Button>
    </form>
  )
}

/** Resolves to what to tell the person; null: it is done, or the browser is on its way to the provider. */
function useChange(isLinked: boolean) {
  const hub = useHub()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (proof: OwnProof) => {
      if (!isLinked) return goToProvider(proof)
      await hub.rest.unlinkIdentity(proof)
      return null
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['identity'] }),
  })
}
