/** Every REST route of the hub as a typed method. Bodies and answers are the schemas of `backend-types`. */
import * as T from '@roundhouse/backend-types'
import { z } from 'zod'
import type { Transport } from './transport'

const Empty = z.object({}).loose()

export class HubRest {
  readonly #send: Transport['send']
  readonly #download: Transport['download']
  readonly #newKey: () => string

  constructor(transport: Transport, newKey: () => string = () => crypto.randomUUID()) {
    this.#send = transport.send.bind(transport)
    this.#download = transport.download.bind(transport)
    this.#newKey = newKey
  }

  /** A route whose schema the caller brings. */
  read = <S extends z.ZodType>(path: string, schema: S, query?: Record<string, string>) =>
    this.#send('GET', path, schema as z.ZodType<z.output<S>>, query && { query })
  ready = () => this.#send('GET', '/ready', T.Ready)
  health = () => this.#send('GET', '/health', T.Health)
  setup = (body: T.SetupRequest) => this.#send('POST', '/setup', Empty, { body })
  settings = () => this.#send('GET', '/settings', T.HubSettings)
  changeSettings = (body: T.HubSettingsChange) => this.#send('PATCH', '/settings', T.HubSettings, { body })
  me = () => this.#send('GET', '/me', T.Me)

  inbox = () => this.#send('GET', '/inbox', T.Inbox)
  agents = () => this.#send('GET', '/agents', T.AgentsList)
  agent = (agentId: string) => this.#send('GET', `/agents/${agentId}`, T.AgentView)
  renameAgent = (agentId: string, name: string) =>
    this.#send('PATCH', `/agents/${agentId}`, T.AgentView, { body: { name } })
  refreshAgent = (agentId: string) => this.#post(`/agents/${agentId}/refresh`, T.AgentView, {})
  approveAgent = (agentId: string) => this.#post(`/agents/${agentId}/approve`, T.AgentView, {})
  acceptRestoredAgent = (agentId: string) => this.#post(`/agents/${agentId}/accept-restored`, T.AgentView, {})
  refuseAgent = (agentId: string) => this.#post(`/agents/${agentId}/refuse`, T.AgentView, {})
  revokeAgent = (agentId: string) => this.#post(`/agents/${agentId}/revoke`, T.AgentView, {})
  disableAgent = (agentId: string) => this.#post(`/agents/${agentId}/disable`, T.AgentView, {})
  enableAgent = (agentId: string) => this.#post(`/agents/${agentId}/enable`, T.AgentView, {})
  folders = (agentId: string, path?: string) =>
    this.#send('GET', `/agents/${agentId}/folders`, T.FoldersReply, { query: { path } })
  makeEnrollmentToken = (body: T.EnrollmentTokenRequest) =>
    this.#post('/enrollment-tokens', T.EnrollmentTokenMade, body)
  enrollmentToken = (tokenId: string) => this.#send('GET', `/enrollment-tokens/${tokenId}`, T.EnrollmentTokenView)

  people = () => this.#send('GET', '/people', T.PeopleList)
  changePerson = (userId: string, body: T.PersonChange) =>
    this.#send('PATCH', `/people/${userId}`, T.PersonView, { body })
  removePerson = (userId: string) => this.#delete(`/people/${userId}`)
  signOutPerson = (userId: string) => this.#post(`/people/${userId}/sign-out`, T.PersonView, {})
  recoverPerson = (userId: string) => this.#post(`/people/${userId}/recover`, T.InvitationMade, {})
  invitations = () => this.#send('GET', '/invitations', T.InvitationsList)
  invite = (body: z.input<typeof T.InvitationRequest>) => this.#post('/invitations', T.InvitationMade, body)
  revokeInvitation = (invitationId: string) => this.#delete(`/invitations/${invitationId}`)
  acceptInvitation = (body: T.AcceptInvitation) =>
    this.#send('POST', '/invitations/accept', T.InvitationAccepted, { body })
  logins = () => this.#send('GET', '/me/logins', T.LoginsList)
  endLogin = (loginId: string) => this.#delete(`/me/logins/${loginId}`)
  identity = () => this.#send('GET', '/me/identity', T.IdentityView)
  unlinkIdentity = (body: T.OwnProof) => this.#post('/me/identity/unlink', Empty, body)
  tokens = () => this.#send('GET', '/me/tokens', T.ApiTokensList)
  makeToken = (body: T.ApiTokenRequest) => this.#post('/me/tokens', T.ApiTokenMade, body)
  factors = () => this.#send('GET', '/me/factors', T.SecondFactors)
  offerTotp = (body: T.OwnProof) => this.#post('/me/totp', T.TotpOffer, body)
  confirmTotp = (code: string) => this.#post('/me/totp/confirm', T.BackupCodes, { code })
  removeTotp = (body: T.OwnProof) => this.#post('/me/totp/remove', Empty, body)
  renewBackupCodes = (body: T.OwnProof) => this.#post('/me/backup-codes', T.BackupCodes, body)
  renamePasskey = (passkeyId: string, name: string) =>
    this.#send('PATCH', `/me/passkeys/${passkeyId}`, T.SecondFactors, { body: { name } })
  removePasskey = (passkeyId: string, body: T.OwnProof) => this.#post(`/me/passkeys/${passkeyId}/remove`, Empty, body)
  removeToken = (tokenId: string) => this.#delete(`/me/tokens/${tokenId}`)

  audit = (query: Partial<T.AuditQuery> = {}) => this.#send('GET', '/audit', T.AuditPage, { query })
  /** Every page from the newest down, for exports. */
  async *auditPages(query: Partial<T.AuditQuery> = {}): AsyncGenerator<T.AuditPage> {
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const page: T.AuditPage = await this.audit({ ...query, limit: 500, ...(cursor ? { cursor } : {}) })
      yield page
      cursor = page.next
    }
  }

  sessions = (query: Partial<z.input<typeof T.SessionsQuery>> = {}) =>
    this.#send('GET', '/sessions', T.SessionsList, { query: query as Record<string, string | number | undefined> })
  createSession = (body: T.CreateSessionRequest, key?: string) => this.#post('/sessions', T.CommandMade, body, key)
  snapshot = (sessionId: string, limit?: number) =>
    this.#send('GET', `/sessions/${sessionId}`, T.Snapshot, { query: { limit } })
  events = (sessionId: string, query: { after?: number; before?: number; limit?: number }) =>
    this.#send('GET', `/sessions/${sessionId}/events`, T.EventsPage, { query })
  rename = (sessionId: string, body: T.RenameRequest) => this.#send('PATCH', `/sessions/${sessionId}`, Empty, { body })
  deleteSession = (sessionId: string) =>
    this.#send('DELETE', `/sessions/${sessionId}`, T.CommandMade, { idempotencyKey: this.#newKey() })

  prompt = (sessionId: string, body: T.PromptRequest, key?: string) =>
    this.#post(`/sessions/${sessionId}/prompts`, T.CommandMade, body, key)
  uploadImage = (sessionId: string, file: Uint8Array<ArrayBuffer>, key = this.#newKey()) =>
    this.#send('POST', `/sessions/${sessionId}/images`, T.ImageUploaded, { file, idempotencyKey: key })
  /** For the first prompt of a new session. */
  uploadFirstImage = (file: Uint8Array<ArrayBuffer>, key = this.#newKey()) =>
    this.#send('POST', '/images', T.ImageUploaded, { file, idempotencyKey: key })
  image = async (sessionId: string, imageId: string) =>
    (await this.#download(`/sessions/${sessionId}/images/${imageId}`)).bytes
  /** A chunk from there on. */
  artifact = (sessionId: string, artifactId: string, from: number, signal?: AbortSignal) =>
    this.#download(`/sessions/${sessionId}/artifacts/${artifactId}`, { query: { from }, ...(signal ? { signal } : {}) })
  interrupt = (sessionId: string, turnId: string) =>
    this.#post(`/sessions/${sessionId}/interrupt`, T.CommandMade, { turnId })
  stopTask = (sessionId: string, taskId: string) =>
    this.#post(`/sessions/${sessionId}/stop-task`, T.CommandMade, { taskId })
  resume = (sessionId: string, body: T.ResumeRequest = {}) =>
    this.#post(`/sessions/${sessionId}/resume`, T.CommandMade, body)
  configure = (sessionId: string, body: T.ConfigureRequest) =>
    this.#post(`/sessions/${sessionId}/configure`, T.CommandMade, body)
  stop = (sessionId: string) => this.#post(`/sessions/${sessionId}/stop`, T.CommandMade, {})
  endProcess = (sessionId: string) => this.#post(`/sessions/${sessionId}/end-process`, T.CommandMade, {})
  queue = (sessionId: string, body: T.QueueEditRequest) =>
    this.#post(`/sessions/${sessionId}/queue`, T.CommandMade, body)
  /** A failed command that a person has seen. */
  dismissCommand = (sessionId: string, commandId: string) =>
    this.#delete(`/sessions/${sessionId}/commands/${commandId}`)
  revokeGrant = (sessionId: string, grantId: string) =>
    this.#post(`/sessions/${sessionId}/grants/${grantId}/revoke`, T.CommandMade, {})
  decide = (requestId: string, body: T.DecisionRequest, key?: string) =>
    this.#post(`/permissions/${requestId}/decision`, T.RequestView, body, key)

  #delete(path: string): Promise<unknown> {
    return this.#send('DELETE', path, Empty, { idempotencyKey: this.#newKey() })
  }

  #post<S extends z.ZodType>(path: string, schema: S, body: unknown, key = this.#newKey()): Promise<z.output<S>> {
    return this.#send(`POST`, path, schema as z.ZodType<z.output<S>>, { body, idempotencyKey: key })
  }
}
