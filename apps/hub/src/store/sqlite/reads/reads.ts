/**
 * The reads of the hub: one statement by itself on a connection that all share, several of one state on one of the pool.
 * Both know the same of what is damaged.
 */
import type { Reads } from '../../../core/ports/stores'
import { codedReads } from '../file/coded-reads'
import { type Connection, openReader } from '../file/connections'
import { ShownBodies } from '../rows/shown-bodies'
import { createApiTokenReads } from './api-token-reads'
import { createAuditReads } from './audit-reads'
import { createChannelReads } from './channel-reads'
import { createCommandReads } from './command-reads'
import { createEnrollmentTokenReads } from './enrollment-token-reads'
import { createEventReads } from './event-reads'
import { createFactorReads } from './factor-reads'
import { createHubReads } from './hub-reads'
import { createInvitationReads } from './invitation-reads'
import { createLoginReads } from './login-reads'
import { createMachineReads } from './machine-reads'
import { createPeopleReads } from './people-reads'
import { ReadPool, type ReadPoolOptions } from './read-pool'
import { createRequestReads } from './request-reads'
import { createSessionReads } from './session-reads'
import { createTreeReads } from './tree-reads'

export interface OpenReads {
  reads: Reads
  /** The one that all share. */
  reader: Connection
  close(): void
}

export interface ReadsOptions extends Pick<ReadPoolOptions, 'after'> {
  file: string
  onStatement?: ((sql: string) => void) | undefined
}

export function openReads({ file, onStatement, ...pooled }: ReadsOptions): OpenReads {
  const open = () => openReader(file, onStatement)
  const kept = { unfit: new Set<string>(), bodies: new ShownBodies() }
  const pool = new ReadPool({
    ...pooled,
    open,
    readsOf: (db, requireOpen) => {
      const inside: Reads = { ...nounsOf(db, kept, requireOpen), inOneRead: (work) => work(inside) }
      return inside
    },
  })
  const reader = open()
  return {
    reads: { ...nounsOf(reader, kept), inOneRead: (work) => pool.run(work) },
    reader,
    close() {
      pool.close()
      reader.close()
    },
  }
}

/** What is known beyond the file. */
interface Kept {
  /** Sessions whose rows do not fit what is stored of them. */
  unfit: Set<string>
  bodies: ShownBodies
}

function nounsOf(db: Connection, { unfit, bodies }: Kept, requireOpen?: () => void): Omit<Reads, 'inOneRead'> {
  return {
    hub: codedReads(createHubReads(db), requireOpen),
    sessions: codedReads(createSessionReads(db, unfit), requireOpen),
    trees: codedReads(createTreeReads(db), requireOpen),
    events: codedReads(createEventReads(db), requireOpen),
    commands: codedReads(createCommandReads(db, bodies), requireOpen),
    requests: codedReads(createRequestReads(db), requireOpen),
    machines: codedReads(createMachineReads(db), requireOpen),
    enrollmentTokens: codedReads(createEnrollmentTokenReads(db), requireOpen),
    people: codedReads(createPeopleReads(db), requireOpen),
    invitations: codedReads(createInvitationReads(db), requireOpen),
    apiTokens: codedReads(createApiTokenReads(db), requireOpen),
    logins: codedReads(createLoginReads(db), requireOpen),
    factors: codedReads(createFactorReads(db), requireOpen),
    audit: codedReads(createAuditReads(db), requireOpen),
    channels: codedReads(createChannelReads(db), requireOpen),
  }
}
