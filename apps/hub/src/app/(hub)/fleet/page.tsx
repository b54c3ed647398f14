import type { Metadata } from 'next'
import { FleetPage } from '../../../features/fleet/fleet-page'

export const metadata: Metadata = { title: 'Fleet' }

export default FleetPage
