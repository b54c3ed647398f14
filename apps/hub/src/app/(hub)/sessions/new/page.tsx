import type { Metadata } from 'next'
import { NewSessionPage } from '../../../../features/sessions/new-session-page'

export const metadata: Metadata = { title: 'New session' }

export default NewSessionPage
