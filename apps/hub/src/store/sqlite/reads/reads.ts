/** Everything that pages and gateways read, on a connection of its own, synchronous, noun by noun (VIEW-1). */
import type { Reads } from '../../../core/ports/stores'
import type { Connection } from '../file/connections'
import { createApiTokenReads } from './api-token-reads'
import { createAuditReads } from './audit-reads'
import { codedReads } from './coded-reads'
import { createCommandReads } from './command-reads'
import { createEnrollmentTokenReads } from './enrollment-token-reads'
import { createEventReads } from './event-reads'
import { createFactorReads } from './factor-reads'
import { createHubReads } from './hub-reads'
import { createInvitationReads } from './invitation-reads'
import { createLoginReads } from './login-reads'
import { createMachineReads } from './machine-reads'
import { createPeopleReads } from './people-reads'
import { createRequestReads } from './request-reads'
import { createSessionReads } from './session-reads'

export function createReads(db: Connection): Reads {
  return {
    ...codedReads({ inOneRead: inOneRead(db) }),
    hub: codedReads(createHubReads(db)),
    sessions: codedReads(createSessionReads(db)),
    events: codedReads(createEventReads(db)),
    commands: codedReads(createCommandReads(db)),
    requests: codedReads(createRequestReads(db)),
    machines: codedReads(createMachineReads(db)),
    enrollmentTokens: codedReads(createEnrollmentTokenReads(db)),
    people: codedReads(createPeopleReads(db)),
    invitations: codedReads(createInvitationReads(db)),
    apiTokens: codedReads(createApiTokenReads(db)),
    logins: codedReads(createLoginReads(db)),
    factors: codedReads(createFactorReads(db)),
    audit: codedReads(createAuditReads(db)),
  }
}

/** Rolled back, since nothing was written: a commit fails where a page could not be read, although the work did without it. */
function inOneRead(db: Connection): Reads['inOneRead'] {
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('ROLLBACK')]
  return (work) => {
    if (db.inTransaction) return work()
    begin.run()
    try {
      return work()
    } finally {
      if (db.inTransaction) end.run()
    }
  }
}
