/** What the other rooms may use of the core. */
export type { Actor } from './access'
export { actionsFor, agentsOf, can, reaches, requireCan } from './access'
export { type AuditEntry, refusalOf, stranger } from './audit'
export { AuditCheck } from './audit-check'
export { EventsWalk } from './audit-events'
export { judgeBrought } from './audit-head'
export type * from './audit-ports'
export { RightsOfLog } from './audit-rights'
export { clientNetwork, widerNetwork } from './client-network'
export { type CoreDeps, createCore } from './create-core'
export { isTooDeepText, MAX_FRAME_DEPTH } from './depth'
export { requireOwnName } from './display-names'
export type { DoorbellMap, Doorbells } from './doorbells'
export { eachApart, throwFirst } from './each-apart'
export type {
  AgentsApi,
  Arrival,
  AtTheDoor,
  Caller,
  Core,
  HubIdentity,
  InboxApi,
  PermissionsApi,
  ProgramLogin,
  SessionsApi,
  Signed,
} from './facade'
export type * from './factor-ports'
export type { AgentCredential, AgentGate, AgentLink, LinkSession } from './link-ports'
export type * from './login-ports'
export { basisOf } from './own-proof'
export type * from './people-ports'
export type * from './ports'
export { recoverHere } from './recover-here'
export type { StorageHealth, StoragePort } from './storage-port'
export { type Budget, TokenBucket } from './token-bucket'
export type { ViewerReads } from './viewer-reads'
