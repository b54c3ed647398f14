/** The parts of the core that other rooms may use. */
export type { Actor } from './access/access'
export { actionsFor, agentsOf, can, reaches, requireCan } from './access/access'
export type { Caller } from './access/caller'
export type { ProgramLogin, Signed } from './access/signed'
export { refusalOf, stranger } from './audit/audit'
export { AuditCheck } from './audit/audit-check'
export { EventsWalk } from './audit/audit-events'
export { judgeBrought } from './audit/audit-head'
export { RightsOfLog } from './audit/audit-rights'
export type { PermissionsApi } from './commands/permissions'
export { clientNetwork, widerNetwork } from './common/client-network'
export { isTooDeepText, MAX_FRAME_DEPTH } from './common/depth'
export { eachApart, throwFirst } from './common/each-apart'
export type { HubIdentity } from './common/hub-identity'
export { type Budget, TokenBucket } from './common/token-bucket'
export { VersionWatch } from './common/version-watch'
export type * from './core-services'
export { type CoreDeps, createCore } from './create-core'
export type { DoorbellMap, Doorbells } from './doorbells/doorbells'
export type { AgentsApi } from './machines/agents'
export type {
  AgentCredential,
  AgentGate,
  AgentLink,
  LinkMisdeeds,
  LinkSession,
  LinkStreams,
} from './machines/link-ports'
export { requireOwnName } from './people/display-names'
export type { AtTheDoor } from './people/login-audit'
export { basisOf } from './people/own-proof'
export { recoverHere } from './people/recover-here'
export type { Arrival } from './people/sign-in'
export type * from './ports/accounts'
export type * from './ports/audit-store'
export type * from './ports/factor-keeper'
export type * from './ports/login-store'
export type { SetupStore } from './ports/setup-store'
export type { StorageHealth, StoragePort } from './ports/storage-port'
export type { Reads, Transactions } from './ports/stores'
export type { SessionCommandsApi } from './sessions/session-commands'
export type { InboxApi } from './viewer/inbox'
export type { ViewerReads } from './viewer/viewer-reads'
