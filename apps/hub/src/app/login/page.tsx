import type { Metadata } from 'next'
import { Suspense } from 'react'
import { GatePage } from '../../features/auth/gate-page'
import { LoginForm } from '../../features/auth/login-form'

export const metadata: Metadata = { title: 'Sign in' }

export default function LoginPage() {
  return (
    <GatePage title="Sign in" lead="Sign in to see your machines and their sessions.">
      <Suspense>
        <LoginForm />
      </Suspense>
    </GatePage>
  )
}
