import type { Core } from '../../core'
import type { Handlers } from './handlers'

export function auditHandlers({ auditLog }: Core): Handlers<'readAuditLog'> {
  return {
    readAuditLog: ({ actor, query }) => auditLog.page(actor, query),
  }
}
