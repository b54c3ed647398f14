/**
 * Turns a backend's permission request into what a person sees, and into the digest that binds a decision to it
 * (PERM-1, PERM-8).
 */
import type {
  FolderRuleOffer,
  InputShape,
  OfferedScope,
  PermissionAsk,
  PermissionRequest,
} from '@roundhouse/backend-types'
import { type DenyRules, deniedBy } from '../../actions/denied'
import { doubtsOf } from '../../actions/doubts'
import { linkedPlaces, pathFields, realPathOf } from '../../actions/named-paths'
import { type WideAction, wideActionOf } from '../../actions/wide-action'
import { type LookedChange, lookAtChanges, seenOf, shownChanges } from '../../changes/file-changes'
import { isInside } from '../../files/is-inside'
import { fittingAsk } from '../../log/least-ask'
import type { Redactor } from '../../redact/redactor'
import type { AskedRequest } from '../program/shown-tool'
import { type Action, actionDigestOf, digestOf, pinFiles } from './digest'
import { exactScope, offeredScopes } from './offered-scopes'
import { type ShownInput, showInput } from './shown-input'
import { shownQuestion } from './shown-question'
import { answerFieldsOf } from './with-answers'

/** A waiting request, with all data to check it again. */
export interface OpenAsk {
  ask: PermissionAsk
  request: AskedRequest
  shown: ShownInput
  /** The action at the time of the request. */
  action: Action
}

/** A request whose event is on its way to the log. `requested` resolves when it is there. */
export interface BegunAsk {
  open: OpenAsk
  looked: ActionNow
  request: AskedRequest
  requested: Promise<unknown>
}

export interface AskSurroundings {
  key: Buffer
  redact: Redactor
  roots: readonly string[]
  workDir: string
  /** Real paths of the folders that the session may use. */
  folders: readonly string[]
  /** The rules that refuse an action by name. */
  rules: DenyRules
  /** True if a person could choose this mode for the session. */
  mayMode(mode: string): boolean
  /** What "always allow in this folder" may leave. */
  offerRule?(looked: ActionNow, scopes: readonly OfferedScope[]): FolderRuleOffer | null
}

export interface ActionNow {
  action: Action
  digest: string
  actionDigest: string
  /** The digest that includes the model's words about its command. Exact grants of an earlier release hold it. */
  wordedDigest: string
  filesPinned: boolean
  /** Pinned files that the action writes to, and otherwise only prints. */
  printed: string[]
  /** What the check of names could not settle, as lines for people. */
  doubts: string[]
  /** The form in which a wider grant can cover the action. */
  wide: WideAction | null
  /** The files that the action changes. */
  changes: LookedChange[]
}

/** Examines the requested action now: resolves paths and reads files. `input` is an edit of the request's own input. */
export function lookAtAction(
  request: AskedRequest,
  procId: string,
  around: AskSurroundings,
  input: unknown = request.input,
): ActionNow {
  const cwd = realPathOf(request.meta?.cwd ?? around.workDir)
  const pinned = pinFiles(input, cwd, [...around.roots, around.workDir])
  const changes = lookAtChanges(request.shape, input, cwd, around)
  const action = {
    tool: request.toolName,
    input: input ?? null,
    cwd,
    files: pinned.files,
    places: linkedPlaces(input, cwd),
    ...(changes.length === 0 ? {} : { seen: seenOf(changes) }),
  }
  return {
    action,
    digest: digestOf(action, procId, around.key),
    actionDigest: actionDigestOf(comparedAction(action, request.shape), around.key),
    wordedDigest: actionDigestOf(action, around.key),
    filesPinned: pinned.complete,
    printed: pinned.printed,
    doubts: doubtsOf(action, around.rules),
    wide: wideActionOf(request, input, cwd, around.roots),
    changes,
  }
}

/** Leaves out the model's words about its own command, which do not change what runs (PERM-5). */
function comparedAction(action: Action, shape: InputShape | undefined): Action {
  if (shape?.kind !== 'command' || shape.remark === undefined) return action
  if (typeof action.input !== 'object' || action.input === null) return action
  const { [shape.remark]: remark, ...input } = action.input as Record<string, unknown>
  // Files are those that a command names; the model's words name none.
  const namesPlaces = pathFields({ [shape.remark]: remark }).length > 0
  return { ...action, input, ...(namesPlaces ? { places: linkedPlaces(input, action.cwd) } : {}) }
}

export function makeAsk(
  request: AskedRequest,
  ids: { requestId: string; procId: string; turnId?: string | undefined },
  times: { askedAt: number; expiresAt?: number | undefined },
  around: AskSurroundings,
  now: ActionNow = lookAtAction(request, ids.procId, around),
): OpenAsk {
  const shown = showInput(request.input, around.redact)
  const reason = request.meta?.reason
  const answerFields = answerFieldsOf(request, around.redact)
  const scopes = choiceOf(request, now, around)
  const folderRule = isAllowedByGrants(request) ? around.offerRule?.(now, scopes) : null
  const ask: PermissionAsk = {
    requestId: ids.requestId,
    procId: ids.procId,
    callId: request.callId,
    ...(ids.turnId === undefined ? {} : { turnId: ids.turnId }),
    toolName: request.toolName,
    input: shown.value,
    ...shownAs(request, shown),
    digest: now.digest,
    cwd: now.action.cwd,
    ...(reason === undefined ? {} : { reason: around.redact(reason).text }),
    askedAt: times.askedAt,
    ...(times.expiresAt === undefined ? {} : { expiresAt: times.expiresAt }),
    canEdit: request.meta?.canEdit === true,
    canExplainDeny: request.meta?.canExplainDeny === true,
    ...(answerFields ? { answerFields } : {}),
    ...shownQuestion(request, answerFields, around),
    ...(request.meta?.canSetMode === true ? { canSetMode: true } : {}),
    sessionScope: exactScope,
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(folderRule ? { folderRule } : {}),
    filesPinned: now.filesPinned,
    redactedSpans: shown.secrets.size,
    ...changesOf(now, shown, around),
    ...(now.doubts.length > 0 ? { notes: now.doubts.map((line) => around.redact(line).text) } : {}),
  }
  return { ask: fittingAsk(ask), request, shown, action: now.action }
}

/** The headline of the request and the shape by which its input is drawn. All of the input is shown in any case (PERM-7). */
function shownAs({ describe, shape }: AskedRequest, { value }: ShownInput): Pick<PermissionAsk, 'display' | 'shape'> {
  const display = describe?.(value)
  return { ...(display ? { display } : {}), ...(shape ? { shape } : {}) }
}

/** Shows nothing of a denied file, even if the request is only recorded. */
function changesOf(
  now: ActionNow,
  shown: ShownInput,
  { redact, rules }: AskSurroundings,
): Pick<PermissionAsk, 'changes'> {
  if (now.changes.length === 0 || deniedBy(now.action, rules)) return {}
  return { changes: shownChanges(now.changes, Buffer.byteLength(JSON.stringify(shown.value) ?? ''), redact) }
}

/** Applies the machine's own rules to what would run. */
export function refusalOf(
  now: ActionNow,
  policy: DenyRules & { roots: readonly string[] },
): 'policy' | 'path' | undefined {
  if (deniedBy(now.action, policy)) return 'policy'
  return policy.roots.some((root) => isInside(now.action.cwd, root)) ? undefined : 'path'
}

/** A person decides each question, form and plan, and each request for which the program requires a person. */
export function isAllowedByGrants({ meta = {} }: Pick<PermissionRequest, 'meta'>): boolean {
  const { answerFields, form, plan, canSetMode, requiresUserInteraction } = meta
  return !answerFields && !form && !plan && canSetMode !== true && requiresUserInteraction !== true
}

/** Offers no wider scope for an action that cannot be checked fully, or whose label contains a secret. */
function choiceOf(
  { meta = {} }: PermissionRequest,
  now: ActionNow,
  { roots, redact }: AskSurroundings,
): OfferedScope[] {
  const { suggestedCommands } = meta
  if (now.doubts.length > 0 || !isAllowedByGrants({ meta })) return []
  const scopes = offeredScopes(now.wide, { roots, suggested: suggestedCommands })
  const readable = scopes.filter(({ label }) => redact(label).text === label)
  return readable.length > 1 ? readable : []
}
