/** What the services of the core share. Built once, in `createCore`. */
import type { KeyObject } from 'node:crypto'
import type { Attention } from './attention'
import type { AuditEntry } from './audit'
import type { AuditHeads } from './audit-heads'
import type { AuditWatch } from './audit-watch'
import type { Challenges } from './challenges'
import type { Changes } from './changes'
import type { CommandPump } from './command-pump'
import type { Door } from './door'
import type { Doorbells } from './doorbells'
import type { Erasing } from './erasing'
import type { FactorKeeper } from './factor-ports'
import type { ImageStore } from './image-ports'
import type { SessionBudget } from './machine-limits'
import type { OnceAMinute } from './once-a-minute'
import type { Accounts, PeopleReads } from './people-ports'
import type { IngestWriter, SessionReads, Transactions } from './ports'
import type { Presence } from './presence'
import type { Rev } from './revs'
import type { RowLimit } from './row-limit'
import type { SessionMemory } from './session-memory'
import type { StoragePort } from './storage-port'
import type { Views } from './views'
import type { WriteAs } from './write-as'

export interface Hub {
  hubId: string
  hubEpoch: string
  /** This process has changed it, or is about to (REB-2). */
  changedEpoch: boolean
  changingEpoch: Promise<void> | null
  publicKey: string
  privateKey: KeyObject
  /** Origins under which agents may know this hub; the first is the one to show. */
  urls: () => readonly string[]
}

export interface Context {
  hub: Hub
  reads: SessionReads
  people: PeopleReads
  accounts: Accounts
  keeper: FactorKeeper
  /** The hub's own writes, a machine's, a stranger's. */
  transactions: Transactions
  /** Everything that people write. */
  writeAs: WriteAs
  ingest: IngestWriter
  erasing: Erasing
  images: ImageStore
  storage: StoragePort
  memory: SessionMemory
  presence: Presence
  challenges: Challenges
  door: Door
  /** Which refusals the audit log has heard of, and which sessions that cannot be read the hub's own. */
  told: { strangers: OnceAMinute; machines: OnceAMinute; damages: (error: unknown) => boolean }
  /** What machines made by themselves. */
  madeSessions: SessionBudget
  /** Rows of logs that were lost or exchanged. */
  otherLogs: RowLimit
  auditWatch: AuditWatch
  auditHeads: AuditHeads
  doorbells: Doorbells
  changes: Changes
  views: Views
  pump: CommandPump
  attention: Attention
  inboxRev: Rev
  now: () => number
  /** Milliseconds of a clock that never goes back: for everything that comes again and again. */
  elapsed: () => number
  newHubEpoch: () => string
  /** Of deeds that a machine lays at a person's door without a command (VIEW-8). */
  unproven: RowLimit
  log: Log
  audit(entry: AuditEntry): Promise<void>
}

export interface Log {
  info(facts: Record<string, unknown>, message: string): void
  warn(facts: Record<string, unknown>, message: string): void
  error(facts: Record<string, unknown>, message: string): void
}
