/**
 * Determines who did what an event reports, by the hub's own commands only (VIEW-8). An event proves nobody: it names a
 * command, and the author of that command did it only if the hub has the command, it belongs to the session, and it
 * asked for exactly this. Pure except for the look-ups.
 */
import {
  type Author,
  type CommandBody,
  type CommandOf,
  chosenScope,
  isCutValue,
  type PermissionAsk,
  type SessionEvent,
  type SessionEventKind,
  type SessionEventOf,
  type StoredEvent,
} from '@roundhouse/backend-types'
import { isSameText, isSameValue } from '../common/same-text'
import type { GivenCommand } from '../ports/command-store'

export interface Proofs {
  commands: {
    given(commandId: string, kind: SessionEventKind): GivenCommand | undefined
    /** The edits of a queued prompt. */
    promptEdits(sessionId: string, promptId: string): GivenCommand[]
  }
  requests: { find(requestId: string): { sessionId: string; ask: PermissionAsk | null } | undefined }
}

/** The kinds that may report a deed of a person. No other kind is checked. */
export const deeds: ReadonlySet<string> = new Set<SessionEventKind>([
  'session_created',
  'session_configured',
  'session_ended',
  'user_message',
  'permission_resolved',
  'grant_ended',
])

/** False of most events: then nothing has to be read to name their author. */
export const mayHaveAuthor = ({ kind }: StoredEvent): boolean => deeds.has(kind)

/** Whether the event says that a person did something. */
export function namesPerson(event: SessionEvent): boolean {
  if (event.kind === 'permission_resolved') return event.by !== undefined && 'userId' in event.by
  return 'author' in event && event.author !== undefined
}

/** Null: no command of this hub proves the event. */
export function provenAuthor(event: SessionEvent, seq: number, sessionId: string, proofs: Proofs): Author | null {
  const given = provingCommand(event, seq, sessionId, proofs)
  return given && { userId: given.authorId, name: given.authorName }
}

export function provingCommand(
  event: SessionEvent,
  seq: number,
  sessionId: string,
  proofs: Proofs,
): GivenCommand | null {
  if (event.kind === 'gap' || !deeds.has(event.kind)) return null
  const found = event.commandId === undefined ? undefined : proofs.commands.given(event.commandId, event.kind)
  const given = found?.sessionId === sessionId ? found : undefined
  if (event.kind === 'user_message' && !hasSameImages(given, event)) return null
  const asked = given && asksFor(given.body, event, sessionId, proofs)
  const proving = asked ? [given] : event.kind === 'user_message' ? editsOf(event, sessionId, proofs) : []
  // A deed counts once, however often the machine reports it.
  return proving.find(({ provenSeq }) => provenSeq === null || provenSeq === seq) ?? null
}

/** The author of an edited prompt is the person who wrote the text that was sent. */
function editsOf(event: SessionEventOf<'user_message'>, sessionId: string, proofs: Proofs): GivenCommand[] {
  const edits = proofs.commands.promptEdits(sessionId, event.promptId)
  return edits.filter(({ body }) => isSameText((body as CommandOf<'queue.edit'>).text, event.text))
}

function asksFor(body: CommandBody, event: SessionEvent, sessionId: string, proofs: Proofs): boolean {
  switch (event.kind) {
    case 'user_message':
      return asksForPrompt(body, event)
    case 'permission_resolved':
      return body.kind === 'permission.decide' && isDecision(body, event, askOf(event.requestId, sessionId, proofs))
    case 'grant_ended':
      return body.kind === 'grant.revoke' && event.why === 'revoked' && body.grantId === event.grantId
    case 'session_configured':
      return asksForChanges(body, event)
    case 'session_created':
      return body.kind === 'session.create' && asksForSession(body, event)
    case 'session_ended':
      return body.kind === 'session.stop' && event.why === 'stopped'
    default:
      return false
  }
}

/** Applies to an edited prompt too: its images are those of the original. */
function hasSameImages(given: GivenCommand | undefined, { images = [] }: SessionEventOf<'user_message'>): boolean {
  const body = given?.body
  const sent = body?.kind === 'prompt.send' ? (body.images ?? []) : []
  return sent.length === images.length && sent.every(({ sha256 }, index) => sha256 === images[index]?.sha256)
}

function asksForPrompt(body: CommandBody, event: SessionEventOf<'user_message'>): boolean {
  const prompt = body.kind === 'session.create' ? body.prompt : body.kind === 'prompt.send' ? body : undefined
  return prompt?.promptId === event.promptId && isSameText(prompt.text, event.text)
}

/** A field that the machine leaves out is attributed to nobody. */
function asksForSession(body: CommandOf<'session.create'>, event: SessionEventOf<'session_created'>): boolean {
  const { settings, title = body.title ?? '', continuedFrom = body.continuedFrom } = event
  return (
    isSameText(body.title ?? '', title) &&
    body.continuedFrom === continuedFrom &&
    Object.entries(settings).every(([name, value]) => isSameValue(body.settings[name as never], value))
  )
}

function asksForChanges(body: CommandBody, event: SessionEventOf<'session_configured'>): boolean {
  if (event.by !== 'person') return false
  const asked = body.kind === 'permission.decide' ? { mode: body.mode } : 'changes' in body ? body.changes : undefined
  return asked !== undefined && Object.entries(event.changes).every(([name, value]) => value === asked[name as never])
}

function isDecision(
  body: CommandOf<'permission.decide'>,
  event: SessionEventOf<'permission_resolved'>,
  ask: PermissionAsk | null,
): boolean {
  // Nobody decides a request that a grant allows, and only the machine says that the grant existed.
  if (event.by && 'grantId' in event.by) return false
  // A refusal holds whatever the action has become. An allow holds only for this action (PERM-2).
  const allowed = event.outcome === 'applied' && (body.decision === 'allow' || body.decision === 'allow_session')
  return (
    body.requestId === event.requestId &&
    body.decision === event.decision &&
    ask?.callId === event.callId &&
    (!allowed || (body.digest === event.digest && ranAsSent(body, event, ask))) &&
    (event.reason === undefined || (body.reason !== undefined && isSameText(body.reason, event.reason))) &&
    (event.mode === undefined || event.mode === body.mode) &&
    isScopeShown(event, ask, body)
  )
}

/** The input that ran is the requested one, or the person's own edit or answers. */
function ranAsSent(
  { updatedInput, answers }: CommandOf<'permission.decide'>,
  { effectiveInput: ran, edited = false, answered = false }: SessionEventOf<'permission_resolved'>,
  ask: PermissionAsk | null,
): boolean {
  if (edited !== (updatedInput !== undefined) || answered !== (answers !== undefined)) return false
  if (ran === undefined) return true
  if (updatedInput !== undefined) return isSameValue(updatedInput, ran)
  if (answers === undefined || !ask?.answerFields) return false
  const { field } = ask.answerFields
  if (!ask.inputCut) return isSameValue({ ...(ask.input as object), [field]: answers }, ran)
  return isCutValue(ran) || isSameValue(answers, (ran as Partial<Record<typeof field, unknown>>)[field])
}

/** The active permission, or the rule of the folder, has the words that the person saw (PERM-5, PERM-13). */
function isScopeShown(
  { grant, folderRule, decision }: SessionEventOf<'permission_resolved'>,
  ask: PermissionAsk | null,
  { scopeId, always }: CommandOf<'permission.decide'>,
): boolean {
  const left = grant ?? folderRule
  if (left === undefined) return true
  if ((always === true) !== (folderRule !== undefined)) return false
  const { scope, label } = (ask && chosenScope(ask, scopeId, always)) ?? {}
  return decision === 'allow_session' && isSameValue(scope, left.scope) && isSameText(label ?? '', left.label)
}

function askOf(requestId: string, sessionId: string, proofs: Proofs): PermissionAsk | null {
  const request = proofs.requests.find(requestId)
  return request?.sessionId === sessionId ? request.ask : null
}
