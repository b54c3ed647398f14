import type { ApiTokenScope } from '@roundhouse/backend-types'

/** What a chat may do for its person, as far as the person may. */
export const linkScopes = (approvals: boolean): ApiTokenScope[] =>
  approvals ? ['read', 'operate', 'decide'] : ['read', 'operate']
