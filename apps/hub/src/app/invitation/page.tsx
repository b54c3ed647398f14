import type { Metadata } from 'next'
import { GatePage } from '../../features/auth/gate-page'
import { InvitationForm } from '../../features/auth/invitation-form'

export const metadata: Metadata = { title: 'Come in' }

export default function InvitationPage() {
  return (
    <GatePage title="Come in" lead="The link works once. Choose the password with which you will sign in.">
      <InvitationForm />
    </GatePage>
  )
}
