/**
 * REST of the hub, typed. `call` takes any route of the table by its name; the methods are short names for those that are called
 * often, and say nothing of a path, a method or a schema.
 */
import type * as T from '@roundhouse/backend-types'
import { type Answer, type Arguments, type Asked, type FileRoute, type JsonRoute, requestOf } from './route-call'
import type { Downloaded, Transport } from './transport'

type Body<N extends JsonRoute> = Asked<N> extends { body: infer B } ? B : never
type Query<N extends JsonRoute> = Asked<N> extends { query?: infer Q } ? NonNullable<Q> : never
type File = Uint8Array<ArrayBuffer>

export class HubRest {
  readonly #send: Transport['send']
  readonly #download: Transport['download']
  readonly #newKey: () => string

  constructor(transport: Transport, newKey: () => string = () => crypto.randomUUID()) {
    this.#send = transport.send.bind(transport)
    this.#download = transport.download.bind(transport)
    this.#newKey = newKey
  }

  call = <N extends JsonRoute>(name: N, ...[asked = {} as Asked<N>]: Arguments<N>): Promise<Answer<N>> => {
    const { method, path, route, options } = requestOf(name, asked, this.#newKey)
    return this.#send(method, path, route.answer as NonNullable<typeof route.answer>, options) as Promise<Answer<N>>
  }

  /** A route that gives a file. */
  download = <N extends FileRoute>(name: N, ...[asked = {} as Asked<N>]: Arguments<N>): Promise<Downloaded> => {
    const { path, options } = requestOf(name, asked, this.#newKey)
    return this.#download(path, options)
  }

  ready = () => this.call('getReady')
  health = () => this.call('getHealth')
  setup = (body: T.SetupRequest) => this.call('setUp', { body })
  settings = () => this.call('getSettings')
  changeSettings = (body: T.HubSettingsChange) => this.call('changeSettings', { body })
  me = () => this.call('getMe')

  inbox = () => this.call('getInbox')
  agents = () => this.call('listAgents')
  agent = (agentId: string) => this.call('getAgent', { id: { agentId } })
  renameAgent = (agentId: string, name: string) => this.call('renameAgent', { id: { agentId }, body: { name } })
  refreshAgent = (agentId: string) => this.call('refreshAgent', { id: { agentId } })
  approveAgent = (agentId: string) => this.call('approveAgent', { id: { agentId } })
  acceptRestoredAgent = (agentId: string) => this.call('acceptRestoredAgent', { id: { agentId } })
  refuseAgent = (agentId: string) => this.call('refuseAgent', { id: { agentId } })
  revokeAgent = (agentId: string) => this.call('revokeAgent', { id: { agentId } })
  disableAgent = (agentId: string) => this.call('disableAgent', { id: { agentId } })
  enableAgent = (agentId: string) => this.call('enableAgent', { id: { agentId } })
  folders = (agentId: string, path?: string) => this.call('listFolders', { id: { agentId }, query: { path } })
  folderRules = (agentId: string) => this.call('listFolderRules', { id: { agentId } })
  makeEnrollmentToken = (body: T.EnrollmentTokenRequest) => this.call('createEnrollmentToken', { body })
  enrollmentToken = (tokenId: string) => this.call('getEnrollmentToken', { id: { tokenId } })

  people = () => this.call('listPeople')
  changePerson = (userId: string, body: T.PersonChange) => this.call('changePerson', { id: { userId }, body })
  removePerson = (userId: string) => this.call('removePerson', { id: { userId } })
  signOutPerson = (userId: string) => this.call('signOutPerson', { id: { userId } })
  recoverPerson = (userId: string) => this.call('recoverPerson', { id: { userId } })
  invitations = () => this.call('listInvitations')
  invite = (body: Body<'createInvitation'>) => this.call('createInvitation', { body })
  revokeInvitation = (invitationId: string) => this.call('revokeInvitation', { id: { invitationId } })
  acceptInvitation = (body: T.AcceptInvitation) => this.call('acceptInvitation', { body })
  logins = () => this.call('listLogins')
  endLogin = (loginId: string) => this.call('endLogin', { id: { loginId } })
  identity = () => this.call('getIdentity')
  unlinkIdentity = (body: T.OwnProof) => this.call('unlinkIdentity', { body })
  tokens = () => this.call('listApiTokens')
  makeToken = (body: T.ApiTokenRequest) => this.call('createApiToken', { body })
  removeToken = (tokenId: string) => this.call('deleteApiToken', { id: { tokenId } })
  factors = () => this.call('getSecondFactors')
  offerTotp = (body: T.OwnProof) => this.call('offerTotp', { body })
  confirmTotp = (code: string) => this.call('confirmTotp', { body: { code } })
  removeTotp = (body: T.OwnProof) => this.call('removeTotp', { body })
  renewBackupCodes = (body: T.OwnProof) => this.call('renewBackupCodes', { body })
  renamePasskey = (passkeyId: string, name: string) => this.call('renamePasskey', { id: { passkeyId }, body: { name } })
  removePasskey = (passkeyId: string, body: T.OwnProof) => this.call('removePasskey', { id: { passkeyId }, body })

  audit = (query: Query<'readAuditLog'> = {}) => this.call('readAuditLog', { query })
  /** Every page from the newest down, for exports. */
  async *auditPages(query: Query<'readAuditLog'> = {}): AsyncGenerator<T.AuditPage> {
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const page: T.AuditPage = await this.audit({ ...query, limit: 500, ...(cursor ? { cursor } : {}) })
      yield page
      cursor = page.next
    }
  }

  sessions = (query: Query<'listSessions'> = {}) => this.call('listSessions', { query })
  createSession = (body: T.CreateSessionRequest, key?: string) => this.call('createSession', { body, key })
  snapshot = (sessionId: string, limit?: number) => this.call('getSession', { id: { sessionId }, query: { limit } })
  events = (sessionId: string, query: Query<'listEvents'>) => this.call('listEvents', { id: { sessionId }, query })
  rename = (sessionId: string, body: T.RenameRequest) => this.call('changeSession', { id: { sessionId }, body })
  deleteSession = (sessionId: string) => this.call('deleteSession', { id: { sessionId } })

  prompt = (sessionId: string, body: T.PromptRequest, key?: string) =>
    this.call('sendPrompt', { id: { sessionId }, body, key })
  uploadImage = (sessionId: string, file: File, key?: string) =>
    this.call('uploadImage', { id: { sessionId }, file, key })
  /** For the first prompt of a new session. */
  uploadFirstImage = (file: File, key?: string) => this.call('uploadFirstImage', { file, key })
  image = async (sessionId: string, imageId: string) =>
    (await this.download('getImage', { id: { sessionId, imageId } })).bytes
  /** A chunk from there on. */
  artifact = (sessionId: string, artifactId: string, from: number, signal?: AbortSignal) =>
    this.download('readArtifact', { id: { sessionId, artifactId }, query: { from }, signal })
  interrupt = (sessionId: string, turnId: string) => this.call('interruptTurn', { id: { sessionId }, body: { turnId } })
  stopTask = (sessionId: string, taskId: string) => this.call('stopTask', { id: { sessionId }, body: { taskId } })
  resume = (sessionId: string, body: T.ResumeRequest = {}) => this.call('resumeSession', { id: { sessionId }, body })
  /** By the methods of the bridge. One that changes something answers with its command. */
  query = async <M extends T.QueryRequest['method']>(
    sessionId: string,
    body: Extract<T.QueryRequest, { method: M }>,
    key?: string,
  ) => (await this.call('querySession', { id: { sessionId }, body, key })) as Extract<T.QueryReply, { method: M }>
  configure = (sessionId: string, body: T.ConfigureRequest) =>
    this.call('configureSession', { id: { sessionId }, body })
  stop = (sessionId: string) => this.call('stopSession', { id: { sessionId } })
  setSpawning = (sessionId: string, body: T.SpawningRequest) => this.call('setSpawning', { id: { sessionId }, body })
  peers = () => this.call('listPeers')
  publish = (messages: readonly T.PublishedMessage[]) =>
    this.call('publishMessages', { body: { messages: [...messages] } })
  stopTree = (sessionId: string) => this.call('stopTree', { id: { sessionId } })
  endProcess = (sessionId: string) => this.call('endProcess', { id: { sessionId } })
  queue = (sessionId: string, body: T.QueueEditRequest) => this.call('editQueue', { id: { sessionId }, body })
  /** A failed command that a person has seen. */
  dismissCommand = (sessionId: string, commandId: string) =>
    this.call('dismissCommand', { id: { sessionId, commandId } })
  revokeGrant = (sessionId: string, grantId: string) => this.call('revokeGrant', { id: { sessionId, grantId } })
  decide = (requestId: string, body: T.DecisionRequest, key?: string) =>
    this.call('decidePermission', { id: { requestId }, body, key })
}
