import type { BackendAbout } from '@roundhouse/backend-types'

export const about = { kind: 'scripted', label: 'Demo (scripted)' } as const satisfies BackendAbout
