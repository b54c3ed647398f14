import type { ApiTokenScope } from '@roundhouse/backend-types'

export const scopeWords: Readonly<Record<ApiTokenScope, string>> = {
  read: 'read',
  decide: 'answer prompts',
  operate: 'start and prompt sessions',
  manage: 'manage machines',
}
