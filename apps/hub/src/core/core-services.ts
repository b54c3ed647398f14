/** What the hub does, by caller. `createCore` builds these services from the ports. */
import type { AsksApi } from './asks/asks'
import type { AuditApi } from './audit/audit-log'
import type { BusApi } from './bus/bus'
import type { BusClock } from './bus/peers/bus-clock'
import type { ChannelBotsApi } from './channels/channel-bots'
import type { ChannelGate } from './channels/channel-gate'
import type { ChannelLinksApi } from './channels/channel-links'
import type { PermissionsApi } from './commands/permissions'
import type { HubIdentity } from './common/hub-identity'
import type { Derived } from './derived'
import type { Doorbells } from './doorbells/doorbells'
import type { AgentsApi } from './machines/agents'
import type { SettingsApi } from './machines/hub-settings'
import type { AgentGate } from './machines/link-ports'
import type { LoginAuditApi } from './people/login-audit'
import type { AccountApi } from './people/own-account'
import type { PeopleApi } from './people/people'
import type { RightsApi } from './people/rights'
import type { FactorsApi } from './people/second-factors'
import type { SignInApi } from './people/sign-in'
import type { AuditEntry } from './ports/audit-store'
import type { StorageHealth } from './ports/storage-port'
import type { RunsApi } from './runs/runs'
import type { ArtifactsApi } from './sessions/artifacts'
import type { ImagesApi } from './sessions/images'
import type { SessionCommandsApi } from './sessions/session-commands'
import type { SessionQueriesApi } from './sessions/session-queries'
import type { SessionQuestionsApi } from './sessions/session-questions'
import type { SessionReadsApi } from './sessions/session-reads'
import type { SessionsApi } from './sessions/sessions'
import type { TreesApi } from './trees/trees'
import type { InboxApi } from './viewer/inbox'
import type { ViewerReads } from './viewer/viewer-reads'
import type { Attention } from './views/attention'
import type { WebhooksApi } from './webhooks/webhooks'

/**
 * Every method of a person takes the `Actor` behind the request and checks it with `can`. Every write of a person takes
 * the `Idempotency-Key` and answers a repeat with the first answer (CMD-1).
 */
export interface SessionServices {
  sessions: SessionsApi & SessionReadsApi & SessionCommandsApi & SessionQueriesApi & SessionQuestionsApi
  trees: TreesApi
  runs: RunsApi
  images: ImagesApi
  artifacts: ArtifactsApi
  permissions: PermissionsApi
  inbox: InboxApi
  bus: BusApi
  asks: AsksApi
  /** By the names of their routes. */
  derived: Derived['answers']
}

/** People, their rights, and how they sign in. */
export interface PeopleServices {
  people: PeopleApi
  account: AccountApi
  factors: FactorsApi
  logins: LoginAuditApi & SignInApi
  rights: RightsApi
  webhooks: WebhooksApi
  channels: { bots: ChannelBotsApi; links: ChannelLinksApi }
}

/** The hub itself and its machines. */
export interface HubServices {
  hub: HubIdentity
  agents: AgentsApi
  settings: SettingsApi
  auditLog: AuditApi
  /** Appends a row for an action that no transaction of the core records. */
  audit(entry: AuditEntry): Promise<void>
  /** Whether the hub can write (F17). Reads always work. */
  storage(): StorageHealth
}

/** What the sockets of machines and viewers need in addition. */
export interface SocketServices {
  agentGate: AgentGate
  viewerReads: ViewerReads
  doorbells: Doorbells
  /** The gateway reports which pages are open. */
  attention: Pick<Attention, 'begins' | 'ends'>
  /** The gateway reports who is connected to the bus. */
  busConnections: Pick<BusClock, 'connected' | 'disconnected'>
}

/** What chat channels need beside what people do through REST. */
export interface ChannelServices {
  channelGate: ChannelGate
}

export interface HubClock {
  /** Runs once a second: expires commands, applies revocations of another process, repeats unanswered commands. */
  tick(): Promise<void>
  close(): Promise<void>
}

export type RestServices = SessionServices & PeopleServices & HubServices
export type GatewayServices = SocketServices &
  Pick<HubServices, 'hub' | 'audit' | 'storage'> &
  Pick<SessionServices, 'bus'> &
  Pick<PeopleServices, 'rights'>
export type Core = RestServices & SocketServices & ChannelServices & HubClock
