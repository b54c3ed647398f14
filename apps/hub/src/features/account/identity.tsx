'use client'
import { type OwnProof, toCodedError } from '@roundhouse/backend-types'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { Section } from '../../ui/page'
import { agoWords } from '../../ui/text/time'
import { goToProvider } from '../auth/go-to-provider'
import { refusalWords } from '../auth/refusal-words'
import { ProofDialog } from './proof-dialog'
import { useFactors } from './use-factors'

/** The link to the hub's identity provider. Renders nothing if there is no provider and no link. */
export function Identity() {
  const hub = useHub()
  const identity = useQuery({ queryKey: ['identity'], queryFn: () => hub.rest.identity() })
  if (!identity.data) return null
  const { provider, linkedAt } = identity.data
  if (provider === null && linkedAt === null) return null
  return (
    <Section title={`Sign-in with ${provider ?? 'an identity provider'}`}>
      <Link provider={provider ?? 'the identity provider'} linkedAt={linkedAt} />
    </Section>
  )
}

interface LinkProps {
  provider: string
  linkedAt: number | null
}

function Link({ provider, linkedAt }: LinkProps) {
  const now = useNow()
  const { factors } = useFactors()
  const [open, setOpen] = useState(false)
  const refusal = refusalWords(useSearchParams().get('refused'), provider)
  const isRefused = refusal !== null
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isRefused) place.current?.scrollIntoView({ block: 'center' }) // a person who comes back looks for the reason
  }, [isRefused])
  const dialog = { provider, withCode: factors?.totp === true, onClose: () => setOpen(false) }
  return (
    <div ref={place} className="space-y-3">
      <p className="text-ink-2 text-sm">
        {linkedAt === null
          ? `Once linked, you can sign in with ${provider}, without the password or code of this hub.`
          : `Linked ${agoWords(linkedAt, now)}. You can sign in with ${provider}, without the password or code of this hub.`}
      </p>
      {refusal && linkedAt === null ? <ErrorNotice error={refusal} /> : null}
      <Button look={linkedAt === null ? 'soft' : 'danger'} disabled={!factors} onClick={() => setOpen(true)}>
        {linkedAt === null ? 'Link' : 'Unlink'}
      </Button>
      {open && linkedAt === null ? <LinkDialog {...dialog} /> : null}
      {open && linkedAt !== null ? <UnlinkDialog {...dialog} /> : null}
    </div>
  )
}

interface LinkDialogProps {
  provider: string
  withCode: boolean
  onClose: () => void
}

function LinkDialog({ provider, ...rest }: LinkDialogProps) {
  return (
    <ProofDialog
      title={`Link ${provider}`}
      description={`You continue at ${provider} and come back here.`}
      action="Continue"
      onProve={goToProvider}
      {...rest}
    />
  )
}

function UnlinkDialog({ provider, ...rest }: LinkDialogProps) {
  const hub = useHub()
  const queries = useQueryClient()
  const unlink = (proof: OwnProof) =>
    hub.rest.unlinkIdentity(proof).then(
      async () => {
        rest.onClose()
        await queries.invalidateQueries({ queryKey: ['identity'] })
        return null
      },
      (refusal) => toCodedError(refusal).toBody(),
    )
  return (
    <ProofDialog
      title={`Unlink ${provider}?`}
      description={`You can no longer sign in with ${provider}. Your password still works.`}
      action="Unlink"
      danger
      onProve={unlink}
      {...rest}
    />
  )
}
