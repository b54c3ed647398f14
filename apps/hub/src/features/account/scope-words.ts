import type { ApiTokenScope } from '@roundhouse/backend-types'

export const scopeWords: Readonly<Record<ApiTokenScope, string>> = {
  read: 'read',
  decide: 'decide permission requests',
  operate: 'start sessions and send prompts',
  manage: 'manage machines',
  worker: 'speak on the bus as a worker',
  orchestrator: 'speak on the bus as an orchestrator, and command workers',
}
