/** The event stream's statements, noun by noun. Used inside a group commit only (STORE-2). */
import type { IngestTx } from '../../../core/ports/stores'
import type { Connection } from '../file/connections'
import { createAuditSteps } from './audit-steps'
import { createCommandSteps } from './command-steps'
import { createEventSteps } from './event-steps'
import { createMachineSteps } from './machine-steps'
import { createRequestSteps } from './request-steps'
import { createSessionSteps } from './session-steps'

export function createIngestTx(db: Connection): IngestTx {
  return {
    sessions: createSessionSteps(db),
    events: createEventSteps(db),
    commands: createCommandSteps(db),
    requests: createRequestSteps(db),
    machines: createMachineSteps(db),
    audit: createAuditSteps(db),
  }
}
