import type { Metadata } from 'next'
import { GatePage } from '../../../features/auth/gate-page'
import { ProviderReturn } from '../../../features/auth/provider-return'

export const metadata: Metadata = { title: 'Sign in' }

export default function ProviderReturnPage() {
  return (
    <GatePage title="Sign in" lead="Your identity provider has answered.">
      <ProviderReturn />
    </GatePage>
  )
}
