import type { Metadata } from 'next'
import { SessionsPage } from '../../../features/sessions/sessions-page'

export const metadata: Metadata = { title: 'Sessions' }

export default SessionsPage
