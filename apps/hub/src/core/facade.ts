/**
 * The hub's middle: what a person, an agent or a viewer can make it do. REST handlers and gateways call these methods
 * and nothing else. Every method of a person takes the `Actor` behind the request and judges it by `can`; every write
 * of a person takes the `Idempotency-Key` and answers a repeat with the first answer (CMD-1).
 */
import type {
  AcceptInvitation,
  AgentsList,
  AgentView,
  ApiTokenMade,
  ApiTokenRequest,
  ApiTokenView,
  AuditPage,
  AuditQuery,
  AuditState,
  BackupCodes,
  ChallengeReply,
  ChallengeRequest,
  CommandMade,
  CommandsReply,
  ConfigureRequest,
  CreateSessionRequest,
  DecisionRequest,
  EnrollmentTokenMade,
  EnrollmentTokenRequest,
  EnrollmentTokenView,
  EnrollReply,
  EnrollRequest,
  EventsPage,
  EventsQuery,
  FilesReply,
  FoldersReply,
  HubSettings,
  HubSettingsChange,
  ImageType,
  ImageUploaded,
  Inbox,
  InterruptRequest,
  InvitationMade,
  InvitationRequest,
  InvitationView,
  LoginView,
  OwnProof,
  PeopleList,
  PersonChange,
  PersonView,
  PromptRequest,
  QueueEditRequest,
  RenameRequest,
  RequestView,
  ResumeRequest,
  RotateKeyReply,
  RotateKeyRequest,
  SecondFactors,
  SessionSummary,
  SessionsList,
  SessionsQuery,
  Snapshot,
  StopTaskRequest,
  TotpOffer,
} from '@roundhouse/backend-types'
import type { Actor } from './access'
import type { Attention } from './attention'
import type { AuditEntry } from './audit'
import type { Doorbells } from './doorbells'
import type { AgentGate } from './link-ports'
import type { BrowserKey, KnownKey, LoginStep } from './login-ports'
import type { RightsApi } from './rights'
import type { StorageHealth } from './storage-port'
import type { ViewerReads } from './viewer-reads'

/** What the hub is, to agents and to cursors. */
export interface HubIdentity {
  hubId: string
  /** Changes when the data was restored from a backup (REB-2). */
  hubEpoch(): string
  /** Raw 32 bytes of Ed25519, base64url. */
  publicKey: string
  /** Short form of the key that both ends print. */
  keyFingerprint: string
}

export interface SessionsApi {
  create(actor: Actor, request: CreateSessionRequest, idempotencyKey: string): Promise<CommandMade>
  list(actor: Actor, query: SessionsQuery): Promise<SessionsList>
  /** VIEW-1. `limit` is the size of the latest page, 200 unless told. */
  snapshot(actor: Actor, sessionId: string, limit?: number): Promise<Snapshot>
  events(actor: Actor, sessionId: string, query: EventsQuery): Promise<EventsPage>
  rename(actor: Actor, sessionId: string, request: RenameRequest): Promise<SessionSummary>
  prompt(actor: Actor, sessionId: string, request: PromptRequest, idempotencyKey: string): Promise<CommandMade>
  interrupt(actor: Actor, sessionId: string, request: InterruptRequest, idempotencyKey: string): Promise<CommandMade>
  stopTask(actor: Actor, sessionId: string, request: StopTaskRequest, idempotencyKey: string): Promise<CommandMade>
  resume(actor: Actor, sessionId: string, request: ResumeRequest, idempotencyKey: string): Promise<CommandMade>
  configure(actor: Actor, sessionId: string, request: ConfigureRequest, idempotencyKey: string): Promise<CommandMade>
  queue(actor: Actor, sessionId: string, request: QueueEditRequest, idempotencyKey: string): Promise<CommandMade>
  revokeGrant(actor: Actor, sessionId: string, grantId: string, idempotencyKey: string): Promise<CommandMade>
  stop(actor: Actor, sessionId: string, idempotencyKey: string): Promise<CommandMade>
  endProcess(actor: Actor, sessionId: string, idempotencyKey: string): Promise<CommandMade>
  /** SES-3: the transcript goes at once, a tombstone stays, the agent erases its own copy when it hears of it. */
  remove(actor: Actor, sessionId: string, idempotencyKey: string): Promise<CommandMade>
  /** Hides a failed command from the page. */
  dismissCommand(actor: Actor, sessionId: string, commandId: string): Promise<void>
}

export interface ImagesApi {
  /** For a prompt in this session, by whoever may prompt there. */
  upload(actor: Actor, sessionId: string, bytes: Uint8Array, idempotencyKey: string): Promise<ImageUploaded>
  /** Of a prompt of this session, or one's own upload. */
  read(actor: Actor, sessionId: string, imageId: string): Promise<{ mediaType: ImageType; bytes: Uint8Array }>
}

/** Asked of the session's machine, for whoever writes a prompt (CMD-6). */
export interface SessionQuestionsApi {
  commands(actor: Actor, sessionId: string): Promise<CommandsReply>
  /** Files of its work folder that match what was typed. */
  files(actor: Actor, sessionId: string, query: string): Promise<FilesReply>
}

export interface ArtifactsApi {
  /** From there on, as much as the machine sends at once, with the size of the whole. */
  read(actor: Actor, sessionId: string, artifactId: string, from: number): Promise<{ chunk: Uint8Array; bytes: number }>
}

export interface PermissionsApi {
  /** `device` is where the person decided, in words for the page. */
  decide(
    actor: Actor,
    requestId: string,
    request: DecisionRequest,
    idempotencyKey: string,
    device?: string,
  ): Promise<RequestView>
}

export interface InboxApi {
  get(actor: Actor): Promise<Inbox>
}

/** What an unauthenticated caller is known by: limits are per address. */
export interface Caller {
  address: string
}

export interface AgentsApi {
  list(actor: Actor): Promise<AgentsList>
  get(actor: Actor, agentId: string): Promise<AgentView>
  rename(actor: Actor, agentId: string, name: string): Promise<AgentView>
  /** Asks the agent for its manifest again (CMD-6). */
  refresh(actor: Actor, agentId: string): Promise<AgentView>
  folders(actor: Actor, agentId: string, path?: string): Promise<FoldersReply>
  /** `pending` to `active`. */
  approve(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  /** `pending` to `revoked`: final for that key. */
  refuse(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  disable(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  enable(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  revoke(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  /** JOIN-4: the owner says that the copy is a restored disk; the next hello starts a new chain. */
  acceptRestored(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>

  makeToken(actor: Actor, request: EnrollmentTokenRequest, idempotencyKey: string): Promise<EnrollmentTokenMade>
  getToken(actor: Actor, tokenId: string): Promise<EnrollmentTokenView>
  listTokens(actor: Actor): Promise<{ items: EnrollmentTokenView[] }>
  revokeToken(actor: Actor, tokenId: string, idempotencyKey: string): Promise<EnrollmentTokenView>
  /** For the agent that runs on the hub's own machine: no person, name given by the caller. */
  makeLocalToken(name: string): Promise<EnrollmentTokenMade>

  /** Public routes. */
  challenge(caller: Caller, request: ChallengeRequest): ChallengeReply
  enroll(caller: Caller, request: EnrollRequest): Promise<EnrollReply>
  rotateKey(caller: Caller, request: RotateKeyRequest): Promise<RotateKeyReply>
}

export interface SettingsApi {
  get(actor: Actor): Promise<HubSettings>
  change(actor: Actor, change: HubSettingsChange): Promise<HubSettings>
}

type Done = Promise<{ ok: true }>

export interface PeopleApi {
  list(actor: Actor): Promise<PeopleList>
  change(actor: Actor, userId: string, change: PersonChange): Promise<PersonView>
  /** What they did stays, under their name. */
  remove(actor: Actor, userId: string, idempotencyKey: string): Done
  /** Ends all their logins. */
  signOut(actor: Actor, userId: string, idempotencyKey: string): Promise<PersonView>
  invite(actor: Actor, request: InvitationRequest, idempotencyKey: string): Promise<InvitationMade>
  /** A link by which the person sets a new password. */
  recover(actor: Actor, userId: string, idempotencyKey: string): Promise<InvitationMade>
  invitations(actor: Actor): Promise<{ items: InvitationView[] }>
  revokeInvitation(actor: Actor, invitationId: string, idempotencyKey: string): Done
  /** Public. Throws `INVITATION_INVALID`, or what the password keeper objects to. */
  accept(caller: Caller, request: AcceptInvitation): Promise<{ email: string }>
}

/** Somebody who is signed in, or a program with a token of theirs. */
export interface ProgramLogin {
  actor: Actor
  loginId: string
  email: string
  program: true
}

/** Somebody who is signed in, and by which login. */
export interface Signed {
  actor: Actor
  loginId: string
}

/** Where a proof is asked for, `AUTH_FAILED`: its password or its code is not right. */
export interface AccountApi {
  /** `current` is the login that asks. */
  logins(actor: Actor, current: string): Promise<{ items: LoginView[] }>
  endLogin(actor: Actor, loginId: string, idempotencyKey: string): Done
  tokens(actor: Actor): Promise<{ items: ApiTokenView[] }>
  makeToken(signed: Signed, request: ApiTokenRequest, idempotencyKey: string): Promise<ApiTokenMade>
  removeToken(actor: Actor, tokenId: string, idempotencyKey: string): Done
  /** Absent while the person comes in by password alone. */
  linkedAt(actor: Actor): number | null
  /** Throws `NOT_FOUND` where nothing is linked. */
  unlinkIdentity(signed: Signed, proof: OwnProof, idempotencyKey: string): Done
  /** Null for a token that is none, has run out, or whose person may not sign in. */
  byToken(token: string): ProgramLogin | null
}

/** What a person shows beside the password. `AUTH_FAILED`: the password or the code that was shown is not right. */
export interface FactorsApi {
  overview(actor: Actor): Promise<SecondFactors>
  /** Nothing changes at the door before a code of it was confirmed. */
  offerTotp(signed: Signed, email: string, proof: OwnProof): Promise<TotpOffer>
  /** Ends every other login: none of them has shown a code. */
  confirmTotp(signed: Signed, code: string, idempotencyKey: string): Promise<BackupCodes>
  removeTotp(signed: Signed, proof: OwnProof, idempotencyKey: string): Done
  renewBackupCodes(signed: Signed, proof: OwnProof, idempotencyKey: string): Promise<BackupCodes>
  /** Before something that the login library does; spends the code. Names the password that was shown (`LoginStep`). */
  prove(signed: Signed, proof: OwnProof, action: string): Promise<string>
  renamePasskey(actor: Actor, passkeyId: string, name: string): Promise<SecondFactors>
  removePasskey(signed: Signed, passkeyId: string, proof: OwnProof, idempotencyKey: string): Done
}

/** Somebody at the door, who is nobody yet. */
export interface AtTheDoor {
  action: 'login.begin' | 'login.second_step' | 'hub.setup'
  email: string
  address: string
  device: string
  /** What was shown beside or instead of the password. */
  by?: 'totp' | 'backup code' | 'passkey' | 'identity provider'
}

type OwnDeed = 'passkey.add' | 'identity.link'

/** What the audit log keeps of the door. */
export interface LoginAuditApi {
  setUp(who: AtTheDoor): Promise<void>
  refused(who: AtTheDoor, why: string): Promise<void>
  did(actor: Actor, action: OwnDeed, object: string): Promise<void>
  didNot(actor: Actor, action: OwnDeed, object: string): Promise<void>
}

/** A browser that signs in, with a key of its own for the login that begins. */
export interface Arrival {
  key: BrowserKey
  /** The login that this browser still has: it ends (T75). */
  former: Signed | null
  address: string
  device: string
  userAgent: string
  by?: AtTheDoor['by']
}

export interface NewPassword {
  currentPassword: string
  newPassword: string
  /** Every other login of the person ends. */
  revokeOtherSessions?: boolean | undefined
}

export interface SignInApi {
  byPassword(
    arrival: Arrival,
    credentials: { email: string; password: string },
  ): Promise<'in' | 'codeNeeded' | 'wrong' | 'disabled'>
  /** Whose password was right with this key, while the code is owed. */
  owing(keyId: string): { userId: string; email: string } | null
  byCode(arrival: Arrival, code: string): Promise<'in' | { why: 'gone' | 'locked' | 'wrong code' | 'used code' }>
  /** Whose login this key has, if any. */
  personOf(keyId: string): string | null
  /** The login library has made the login. */
  settle(arrival: Arrival, userId: string): Promise<void>
  /** What a key began with the login library. */
  keepStep(keyId: string, step: LoginStep): Promise<void>
  /** Once. */
  takeStep<K extends LoginStep['kind']>(keyId: string, kind: K): Promise<Extract<LoginStep, { kind: K }> | null>
  knownKey(keyId: string): KnownKey | undefined
  /** Throws `AUTH_FAILED`. */
  changePassword(signed: Signed, wanted: NewPassword): Promise<void>
  /** Signs out. The key stays known: its wrong passwords are still counted apart. */
  out(signed: Signed): Promise<void>
}

export interface AuditApi {
  /** Checks what is new since the last check, and says loudly what does not hold. */
  check(): Promise<AuditState>
  /** Newest first. */
  page(actor: Actor, query: AuditQuery): Promise<AuditPage>
}

export interface Core {
  hub: HubIdentity
  sessions: SessionsApi & SessionQuestionsApi
  images: ImagesApi
  artifacts: ArtifactsApi
  permissions: PermissionsApi
  inbox: InboxApi
  agents: AgentsApi
  settings: SettingsApi
  people: PeopleApi
  account: AccountApi
  factors: FactorsApi
  logins: LoginAuditApi & SignInApi
  auditLog: AuditApi
  rights: RightsApi
  /** Append-only. Best effort for reads, inside the transaction for writes of core itself. */
  audit(entry: AuditEntry): Promise<void>
  /** Whether the hub can write (F17); reads go on. */
  storage(): StorageHealth

  /** For the gateways. */
  agentGate: AgentGate
  viewerReads: ViewerReads
  doorbells: Doorbells
  /** Told by whoever knows which pages are open. */
  attention: Pick<Attention, 'begins' | 'ends'>

  /** Once a second: expiry of commands, revocations made by another process, repeats of unanswered commands. */
  tick(): Promise<void>
  close(): Promise<void>
}
