import type { Metadata } from 'next'
import { GatePage } from '../../features/auth/gate-page'
import { SetupForm } from '../../features/auth/setup-form'

export const metadata: Metadata = { title: 'Set up' }

export default function SetupPage() {
  return (
    <GatePage
      title="Set up this hub"
      lead="The first person becomes the owner. The code proves that you started the hub."
    >
      <SetupForm />
    </GatePage>
  )
}
