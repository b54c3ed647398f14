/** People of a hub: accounts, invitations, and API tokens. */
import { z } from 'zod'
import { Id, Millis } from '../common/ids'
import { OneUseState } from '../common/one-use'
import { OwnProof } from './second-factors'

export const Role = z.enum(['owner', 'admin', 'operator', 'approver', 'viewer'])
export type Role = z.infer<typeof Role>

/** What a person chooses: long enough to be worth guessing in vain. */
export const Password = z.string().min(12).max(128)

/** What a person or a program may be allowed to do; which role may what is the hub's to say. */
export const Action = z.enum([
  'session.read',
  'session.create',
  'session.prompt',
  'session.control',
  'session.organise',
  'session.delete',
  'permission.decide',
  'agent.read',
  'agent.manage',
  'token.manage',
  'user.manage',
  'hub.manage',
  'audit.read',
])
export type Action = z.infer<typeof Action>

/** `may`: rights on the machines that this person sees. Pages offer nothing else; the hub checks each request again. */
export const Me = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  role: Role,
  may: z.array(Action),
  hubEpoch: z.string(),
})
export type Me = z.infer<typeof Me>

export const PersonView = z.object({
  userId: Id,
  name: z.string(),
  email: z.string(),
  role: Role,
  disabled: z.boolean(),
  /** The machines shared with the person; null: all, by their role. */
  agents: z.array(Id).nullable(),
  createdAt: Millis,
  /** When the newest login began; null: never came. */
  lastLoginAt: Millis.nullable(),
})
export type PersonView = z.infer<typeof PersonView>
export const PeopleList = z.object({ items: z.array(PersonView) })
export type PeopleList = z.infer<typeof PeopleList>

const AgentIds = z.array(Id).max(1_000)

/** What is absent stays as it is. */
export const PersonChange = z.object({
  name: z.string().min(1).max(100).optional(),
  role: Role.optional(),
  disabled: z.boolean().optional(),
  agents: AgentIds.optional(),
})
export type PersonChange = z.infer<typeof PersonChange>

export const InvitationRequest = z.object({
  email: z.email().max(320),
  role: Role,
  agents: AgentIds.default([]),
})
export type InvitationRequest = z.infer<typeof InvitationRequest>

/** `link` has the code after a `#` and is shown only this once. */
export const InvitationMade = z.object({ invitationId: Id, link: z.string(), expiresAt: Millis })
export type InvitationMade = z.infer<typeof InvitationMade>

export const InvitationView = z.object({
  invitationId: Id,
  /** `recover`: for somebody who is here already and cannot sign in any more. */
  kind: z.enum(['invite', 'recover']),
  email: z.string(),
  role: Role,
  state: OneUseState,
  createdAt: Millis,
  expiresAt: Millis,
})
export type InvitationView = z.infer<typeof InvitationView>
export const InvitationsList = z.object({ items: z.array(InvitationView) })

/** The name is for a person who is new here. */
export const AcceptInvitation = z.object({
  code: z.string().min(20).max(200),
  name: z.string().min(1).max(100).optional(),
  password: Password,
})
export type AcceptInvitation = z.infer<typeof AcceptInvitation>
export const InvitationAccepted = z.object({ email: z.string() })

/** One browser in which the person is signed in. */
export const LoginView = z.object({
  loginId: Id,
  device: z.string(),
  address: z.string(),
  createdAt: Millis,
  expiresAt: Millis,
  /** The one that asks. */
  current: z.boolean(),
})
export type LoginView = z.infer<typeof LoginView>
export const LoginsList = z.object({ items: z.array(LoginView) })

export const IdentityView = z.object({
  /** What the hub calls its identity provider; null: it has none. */
  provider: z.string().nullable(),
  linkedAt: Millis.nullable(),
})
export type IdentityView = z.infer<typeof IdentityView>

/** Why the way back from the identity provider led nowhere, as `?refused=` of the page that it ends on. */
export const OidcRefusal = z.enum(['unknown', 'disabled', 'taken', 'stale', 'denied', 'failed'])
export type OidcRefusal = z.infer<typeof OidcRefusal>

/** What an identity provider answers in the address of the way back. */
const Parameter = z.string().max(4_000).optional()
export const OidcAnswer = z.object({ code: Parameter, state: Parameter, error: Parameter, iss: Parameter })
export type OidcAnswer = z.infer<typeof OidcAnswer>

/** What a program may do with a token, never more than the person whose token it is. */
export const ApiTokenScope = z.enum(['read', 'decide', 'operate', 'manage', 'worker', 'orchestrator'])
export type ApiTokenScope = z.infer<typeof ApiTokenScope>

export const ApiTokenRequest = OwnProof.extend({
  name: z.string().min(1).max(100),
  scopes: z.array(ApiTokenScope).min(1).max(6),
  ttlDays: z.number().int().min(1).max(365),
})
export type ApiTokenRequest = z.infer<typeof ApiTokenRequest>

/** `token` is shown this once; it goes into `Authorization: Bearer`. */
export const ApiTokenMade = z.object({ tokenId: Id, token: z.string(), expiresAt: Millis })
export type ApiTokenMade = z.infer<typeof ApiTokenMade>

export const ApiTokenView = z.object({
  tokenId: Id,
  name: z.string(),
  scopes: z.array(ApiTokenScope),
  createdAt: Millis,
  expiresAt: Millis,
  lastUsedAt: Millis.nullable(),
})
export type ApiTokenView = z.infer<typeof ApiTokenView>
export const ApiTokensList = z.object({ items: z.array(ApiTokenView) })
