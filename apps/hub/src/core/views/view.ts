/** Composes rows, the host's account and presence into what people see (LINK-5, SES-5). Pure. */
import {
  type AgentState,
  CodedError,
  type CodedReason,
  type CommandBody,
  type CommandState,
  type CommandView,
  type HostState,
  type QueueEntry,
  type RequestView,
  type SessionStatus,
  type SessionSummary,
  type SessionView,
  type TreePlace,
  type Waits,
} from '@roundhouse/backend-types'
import { isSameText } from '../common/same-text'
import { statusByLog } from '../ingest/run-end'
import type { CommandProgress, CommandRow } from '../ports/command-store'
import type { RequestRegister, RequestRow } from '../ports/request-store'
import type { SessionRow } from '../ports/session-store'
import { hasPromptOnItsWay, withPromptOnItsWay } from './prompt-on-its-way'
import { resumeWaitsOf } from './resume-waits'

/** Shown UTF-16 units of a command's text. A view may have fifty commands, and each change sends the whole view. */
const SHOWN_LENGTH = 2_000

/** The state of the session's machine at this moment. */
export interface AgentFacts {
  name: string
  state: AgentState
  online: boolean
  /** When it disconnected, while it is away. */
  awaySince: number
}

export interface SessionParts {
  row: SessionRow
  state: HostState | null
  agent: AgentFacts
  requests: readonly RequestRow[]
  commands: readonly CommandRow[]
  /** What waits on the machine for a free place. */
  waits?: Waits | null
  rev: number
  /** Absent: it stands in no tree. */
  tree?: TreePlace | undefined
}

/** Leaves out damaged parts, and says so on the page. */
export function composeView(parts: SessionParts): SessionView {
  const { row, state, agent, waits, rev } = parts
  const [requests, commands] = [parts.requests.filter(isSound), parts.commands.filter(isSound)]
  const isDamaged = row.damaged || requests.length < parts.requests.length || commands.length < parts.commands.length
  const projection = row.projection
  const more = unlisted(state, requests.filter(({ outcome }) => outcome === 'open').length)
  const pending = requests.filter(isPending).length + more
  const status = statusOf(row.damaged ? row.status : statusByLog(row, state), {
    row,
    agent,
    pending,
    commands,
    state,
  })
  return {
    ...sharedBy(row, agent, status),
    ...parts.tree,
    rev,
    settings: settingsOf(row),
    ...optional({
      realWorkDir: projection.realWorkDir,
      backendSessionId: projection.backendSessionId,
      turnId: state && state.atSeq >= projection.seq ? state.turnId : projection.turnId,
      contextUsage: projection.contextUsage,
    }),
    queue: (state?.queue ?? []).map((entry) => ({
      ...withWriter(entry, commands),
      ...waitsOf(entry.commandId, waits),
    })),
    queueHeld: state?.queueHeld ?? false,
    ...resumeWaitsOf(row.sessionId, status, waits),
    requests: requests.map(composeRequest),
    ...(more > 0 ? { moreRequests: more } : {}),
    grants: [...projection.grants],
    commands: commands
      .filter(({ kind }) => kind !== 'permission.decide' && kind !== 'tool.answer')
      .map((command) => composeCommand(command, waits)),
    cost: projection.cost,
    lastLine: projection.lastLine,
    ...(state?.background?.length && agent.online ? { background: state.background } : {}),
    ...(row.blocked ? { blocked: true } : {}),
    ...(isDamaged ? { damaged: true } : {}),
  }
}

/** Without a host's account, uses only the columns: lists parse no projection. */
export function composeSummary(parts: Omit<SessionParts, 'requests'> & { pending: number }): SessionSummary {
  const { row, state, agent, commands, rev } = parts
  const pending = parts.pending + (row.damaged ? 0 : unlisted(state, parts.pending))
  const stored = state && !row.damaged ? statusByLog(row, state) : row.status
  const status = statusOf(stored, { row, agent, pending, commands: commands.filter(isSound), state })
  return {
    ...sharedBy(row, agent, status),
    ...parts.tree,
    rev,
    cost: row.cost,
    ...(row.contextUsage === null ? {} : { contextUsage: row.contextUsage }),
    lastLine: row.lastLine,
    backend: row.backend,
    workDir: row.workDir,
    pendingRequests: pending,
    ...(state?.background?.length && agent.online ? { backgroundTasks: state.background.length } : {}),
  }
}

/** LINK-5: requests that are open on the machine and have no row, because there is no room for them there or here. */
function unlisted(state: HostState | null, known: number): number {
  const listed = state?.requests.length ?? 0
  return Math.max(0, (state?.openRequests ?? listed) - Math.max(listed, known))
}

/** REB-2: the names are empty if nobody reported the session's settings. */
function settingsOf({ settings, backend, workDir }: SessionRow): SessionView['settings'] {
  return { backend, workDir, ...settings }
}

/** The fields that a view and a summary share: the session, its place, its times and its position. */
function sharedBy(row: SessionRow, agent: AgentFacts, status: SessionStatus) {
  return {
    sessionId: row.sessionId,
    agentId: row.agentId,
    agentName: agent.name,
    agentOnline: agent.online,
    ...awayOf(agent, status),
    title: row.title,
    archived: row.archived,
    status,
    ...(row.turnFailed ? { turnFailed: true } : {}),
    ...(row.onPermission === null ? {} : { run: { onPermission: row.onPermission } }),
    head: row.committed,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

export const isSound = ({ damaged }: { damaged?: true }): boolean => damaged !== true

export function isPending(row: Pick<RequestRow, 'decision' | 'outcome'>): boolean {
  return row.decision === null && row.outcome === 'open'
}

export function composeRequest(row: RequestRow): RequestView {
  const { askedAt, expiresAt } = row // by the hub's clock (LOG-10)
  if (!row.ask) throw new CodedError('STORAGE_DAMAGED')
  const ask = { ...row.ask, askedAt, ...optional({ expiresAt }) }
  return {
    sessionId: row.sessionId,
    ask,
    decision: decisionOf(row, row.commandState ?? 'pending'),
    outcome: row.outcome,
    ...optional({ resolvedSeq: row.resolvedSeq }),
  }
}

function decisionOf(register: RequestRegister, commandState: CommandState): RequestView['decision'] {
  const { decision, decidedBy, deciderName, decidedAt, device, reason } = register
  if (decision === null) return null
  const by = { userId: decidedBy ?? '', userName: deciderName ?? '', at: decidedAt ?? 0 }
  return { answer: decision, ...by, ...optional({ device, reason }), commandState }
}

/** VIEW-8: names the writer only by the command that brought the text here. */
function withWriter({ authorName: _told, ...entry }: QueueEntry, commands: readonly CommandRow[]): QueueEntry {
  const given = commands.find(({ commandId }) => commandId === entry.commandId)
  const sent = given && textOf(given.body)
  const shown = entry.cut ? sent?.slice(0, entry.text.length) : sent
  const isSame = given?.promptId === entry.promptId && shown !== undefined && isSameText(shown, entry.text)
  return isSame ? { ...entry, authorName: given.authorName } : entry
}

function composeCommand(row: CommandRow, waits?: Waits | null): CommandView {
  const { body } = row
  return {
    commandId: row.commandId,
    kind: row.kind,
    state: row.state,
    createdAt: row.createdAt,
    authorName: row.authorName,
    ...optional({ promptId: row.promptId }),
    ...shownText(row, body),
    ...optional({ images: 'images' in body ? body.images : undefined }),
    ...(row.state === 'sent' ? waitsOf(row.commandId, waits) : {}),
    ...optional({ error: storedError(row) }),
  }
}

function waitsOf(commandId: string, waits: Waits | null | undefined): Pick<CommandView, 'waits'> {
  if (!waits?.commands.some((one) => one.commandId === commandId)) return {}
  const { running, limit } = waits
  return { waits: { running, limit } }
}

/** VIEW-9: shows the beginning. A page that sends the text again, or copies it, fetches the whole. */
function shownText(row: CommandRow, body: CommandBody): Pick<CommandView, 'text' | 'textLength'> {
  const text = textOf(body)
  if (text === undefined) return {}
  if (text.length <= SHOWN_LENGTH) return { text }
  return {
    text: text.slice(0, SHOWN_LENGTH).replace(/[\ud800-\udbff]$/, ''),
    textLength: row.textLength ?? text.length,
  }
}

/** The text that the person wrote. */
export function textOf(body: CommandBody): string | undefined {
  return body.kind === 'session.create' ? body.prompt?.text : 'text' in body ? body.text : undefined
}

interface StatusFacts {
  row: SessionRow
  agent: AgentFacts
  pending: number
  commands: readonly CommandRow[]
  state: HostState | null
}

/** SES-6: helpers or commands run without a turn. */
export const isBusyBeside = (state: HostState | null): boolean => (state?.background?.length ?? 0) > 0

/** The hub's own facts override what log and host report. */
function statusOf(told: SessionStatus, { row, agent, pending, commands, state }: StatusFacts): SessionStatus {
  const isPrompted = agent.online && !row.blocked && hasPromptOnItsWay(commands, state?.queueHeld ?? false)
  const status: SessionStatus =
    told.status === 'idle' && isBusyBeside(state)
      ? { status: 'running' }
      : isPrompted
        ? withPromptOnItsWay(told, row.status)
        : told
  if (status.status === 'ended') return status
  if (agent.state === 'revoked') return { status: 'ended', why: 'agent_revoked' }
  const failed = refusalOf(row, commands)
  if (failed) return { status: 'ended', why: 'failed', error: errorOf(failed) }
  // PERM-6: a request that a person has decided does not appear as waiting for a person, even if the host does not know
  // the decision yet.
  if (status.status === 'needs_you' && pending === 0) return { status: 'running' }
  if (status.status === 'running' && pending > 0) return { status: 'needs_you' }
  return status
}

/** No machine took it: its creation was refused, or nobody answered in time. */
export const isRefused = (row: Pick<SessionRow, 'committed'>, commands: readonly CommandRow[]): boolean =>
  refusalOf(row, commands) !== undefined

function refusalOf({ committed }: Pick<SessionRow, 'committed'>, commands: readonly CommandRow[]) {
  if (committed !== 0) return undefined
  return commands.find((command) => command.kind === 'session.create' && isFailed(command))
}

function isFailed(command: CommandProgress): boolean {
  return command.state === 'refused' || command.state === 'expired' || command.state === 'outcome_unknown'
}

const errorOf = (command: CommandProgress): CodedReason =>
  storedError(command) ?? { code: 'COMMAND_EXPIRED', message: 'The command expired before the machine took it.' }

function storedError({ errorCode, errorMessage, errorField }: CommandProgress): CodedReason | undefined {
  if (errorCode === null) return undefined
  return { code: errorCode, message: errorMessage ?? '', ...optional({ field: errorField }) }
}

function awayOf(agent: AgentFacts, status: SessionStatus): { unreachableSince?: number } {
  return agent.online || status.status === 'ended' ? {} : { unreachableSince: agent.awaySince }
}

/** Leaves out what is null or undefined. */
function optional<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(kept) as { [K in keyof T]?: NonNullable<T[K]> }
}
