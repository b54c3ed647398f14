import type { Metadata } from 'next'
import { SessionPage } from '../../../../features/session/session-page'

export const metadata: Metadata = { title: 'Session' }

export default async function Page({ params }: { params: Promise<{ sessionId: string }> }) {
  return <SessionPage sessionId={(await params).sessionId} />
}
