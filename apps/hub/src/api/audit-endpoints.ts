import * as T from '@roundhouse/backend-types'
import type { Core } from '../core'
import { type Endpoint, endpoint } from './endpoint'

export function auditEndpoints({ auditLog }: Core): Endpoint[] {
  return [
    endpoint(
      {
        method: 'get',
        path: '/audit',
        summary: 'The audit log, newest first, and whether its chain holds',
        tag: 'audit',
        query: T.AuditQuery,
        answer: T.AuditPage,
      },
      ({ actor, query }) => auditLog.page(actor, query),
    ),
  ]
}
