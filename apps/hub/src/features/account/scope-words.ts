import type { ApiTokenScope } from '@roundhouse/backend-types'

export const scopeWords: Readonly<Record<ApiTokenScope, string>> = {
  read: 'read',
  decide: 'decide permission requests',
  operate: 'start sessions and send prompts',
  manage: 'manage machines',
}
