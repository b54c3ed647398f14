import type { Metadata } from 'next'
import { GatePage } from '../../features/auth/gate-page'
import { InvitationForm } from '../../features/auth/invitation-form'

export const metadata: Metadata = { title: 'Accept invitation' }

export default function InvitationPage() {
  return (
    <GatePage title="Accept invitation" lead="The link works once. Choose a password to sign in with.">
      <InvitationForm />
    </GatePage>
  )
}
