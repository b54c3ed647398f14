import type { HubServices } from '../../core'
import type { Handlers } from './handlers'

export function auditHandlers({ auditLog }: HubServices): Handlers<'readAuditLog'> {
  return {
    readAuditLog: ({ actor, query }) => auditLog.page(actor, query),
  }
}
