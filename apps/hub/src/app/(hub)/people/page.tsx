import type { Metadata } from 'next'
import { PeoplePage } from '../../../features/people/people-page'

export const metadata: Metadata = { title: 'People' }

export default PeoplePage
