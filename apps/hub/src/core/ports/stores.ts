/**
 * What the core needs of a store, one noun a file. A service names the nouns that it uses: `Pick<Reads, 'sessions'>`.
 * There are three ways in, by need:
 *
 * - `Reads`: for snapshots, pages and lists, each by itself or several of one state (`inOneRead`);
 * - `WriteTx`: one transaction of a person's action, behind the write gate (CMD-1);
 * - `StreamWriter`: loads by keys, lets decide and writes the change, for the stream of events (STORE-2).
 */
import type { ApiTokenStore, ApiTokenWrites } from './api-token-store'
import type { FollowerWrites } from './append-store'
import type { AuditStore, AuditWrites } from './audit-store'
import type { ChannelStore } from './channels/channel-store'
import type { ChannelWrites } from './channels/channel-writes'
import type { CommandStore, CommandWrites } from './command-store'
import type { EnrollmentTokenStore, EnrollmentTokenWrites } from './enrollment-token-store'
import type { EventStore } from './event-store'
import type { FactorStore, FactorWrites } from './factor-store'
import type { AnswerWrites, HubStore, HubWrites } from './hub-store'
import type { ImageWrites } from './image-store'
import type { InvitationStore, InvitationWrites } from './invitation-store'
import type { LoginStore, LoginWrites } from './login-store'
import type { MachineStore, MachineWrites } from './machine-store'
import type { WebhookWrites } from './outbound/webhook-store'
import type { PeopleStore, PeopleWrites } from './people-store'
import type { RequestStore, RequestWrites } from './request-store'
import type { SessionStore, SessionWrites } from './session-store'
import type { TreeStore, TreeWrites } from './tree-store'

/** People, and by what they sign in. */
interface PeopleReads {
  people: PeopleStore
  invitations: InvitationStore
  apiTokens: ApiTokenStore
  logins: LoginStore
  factors: FactorStore
}

export interface Reads extends PeopleReads {
  /**
   * All reads of the work see one state of the database (VIEW-1). Nested calls share it. The work may wait only for the
   * database: a read that does not end is aborted (`STORAGE_UNAVAILABLE`).
   */
  inOneRead<T>(work: (reads: Reads) => Promise<T>): Promise<T>
  hub: HubStore
  sessions: SessionStore
  trees: TreeStore
  events: EventStore
  commands: CommandStore
  requests: RequestStore
  machines: MachineStore
  enrollmentTokens: EnrollmentTokenStore
  audit: AuditStore
  channels: ChannelStore
}

/** People, and by what they sign in. */
interface PeopleTx {
  people: PeopleWrites
  invitations: InvitationWrites
  apiTokens: ApiTokenWrites
  logins: LoginWrites
  factors: FactorWrites
}

export interface WriteTx extends PeopleTx {
  hub: HubWrites
  answers: AnswerWrites
  sessions: SessionWrites
  trees: TreeWrites
  commands: CommandWrites
  requests: RequestWrites
  images: ImageWrites
  machines: MachineWrites
  enrollmentTokens: EnrollmentTokenWrites
  audit: AuditWrites
  followers: FollowerWrites
  webhooks: WebhookWrites
  channels: ChannelWrites
}

export interface Transactions {
  write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T>
}
