'use client'
import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { Section } from '../../ui/page'
import { IdentityForm } from './identity-form'

/** The link to the hub's identity provider. Nothing where there is neither. */
export function Identity() {
  const hub = useHub()
  const identity = useQuery({ queryKey: ['identity'], queryFn: () => hub.rest.identity() })
  if (!identity.data) return null
  const { provider, linkedAt } = identity.data
  if (provider === null && linkedAt === null) return null
  return (
    <Section title={`Sign-in with ${provider ?? 'an identity provider'}`}>
      <IdentityForm key={linkedAt} provider={provider ?? 'It'} linkedAt={linkedAt} />
    </Section>
  )
}
