/** From a backend's permission request to what a person is asked, and the proof of what it was about (PERM-1, PERM-8). */
import {
  GrantScope,
  type InputShape,
  type OfferedScope,
  type PermissionAsk,
  type PermissionRequest,
} from '@roundhouse/backend-types'
import { type DenyRules, deniedBy } from '../../actions/denied'
import { doubtsOf } from '../../actions/doubts'
import { linkedPlaces, pathFields, realPathOf, realPathsOf } from '../../actions/named-paths'
import { type LookedChange, lookAtChanges, seenOf, shownChanges } from '../../changes/file-changes'
import { isInside } from '../../files/is-inside'
import { fittingAsk } from '../../log/least-ask'
import type { Redactor } from '../../redact/redactor'
import type { AskedRequest } from '../program/shown-tool'
import { type Action, actionDigestOf, digestOf, pinFiles } from './digest'
import { labelOf, offeredScopes } from './offered-scopes'
import { type ShownInput, showInput } from './shown-input'
import { shownQuestion } from './shown-question'
import { type WideAction, wideActionOf } from './wide-action'
import { answerFieldsOf } from './with-answers'

/** A request that waits, with everything that is needed to look at it again. */
export interface OpenAsk {
  ask: PermissionAsk
  request: AskedRequest
  shown: ShownInput
  /** As it was when it was asked. */
  action: Action
}

/** Its event is on its way to the log: `requested` resolves when it is there. */
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
  /** What is refused by name. */
  rules: DenyRules
  /** A person could choose this mode for the session. */
  mayMode(mode: string): boolean
}

export interface ActionNow {
  action: Action
  digest: string
  actionDigest: string
  /** With what the model says about its command, too: exact grants that an earlier release left hold this. */
  wordedDigest: string
  filesPinned: boolean
  /** Pinned files that it writes to, and otherwise only prints. */
  printed: string[]
  /** What the check of names cannot settle, as lines for people. */
  doubts: string[]
  /** Real paths of what the action names as its file; for grants of a folder. */
  realPaths: string[]
  /** The form in which a wider grant can cover the action. */
  wide: WideAction | null
  /** The files that it changes. */
  changes: LookedChange[]
}

/** What this request stands for at this moment: paths resolved, files read. `input` is an edit of the request's own. */
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
    realPaths: pathFields(input).flatMap((name) => realPathsOf(name, cwd)),
    wide: wideActionOf(request, input, cwd, around.roots),
    changes,
  }
}

/** Without what the model says about its own command: that changes nothing of what runs (PERM-5). */
function comparedAction(action: Action, shape: InputShape | undefined): Action {
  if (shape?.kind !== 'command' || shape.remark === undefined) return action
  if (typeof action.input !== 'object' || action.input === null) return action
  const { [shape.remark]: remark, ...input } = action.input as Record<string, unknown>
  // Files are those that a command names, and no words are one.
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
  const sessionScope = scopeOf(request, now.doubts.length > 0)
  const scopes = choiceOf(request, now, sessionScope, around)
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
    sessionScope,
    ...(scopes.length === 0 ? {} : { scopes }),
    filesPinned: now.filesPinned,
    redactedSpans: shown.secrets.size,
    ...changesOf(now, shown, around),
    ...(now.doubts.length > 0 ? { notes: now.doubts.map((line) => around.redact(line).text) } : {}),
  }
  return { ask: fittingAsk(ask), request, shown, action: now.action }
}

/** Its headline, and what its input is drawn by. All of the input is shown, whatever these say (PERM-7). */
function shownAs({ describe, shape }: AskedRequest, { value }: ShownInput): Pick<PermissionAsk, 'display' | 'shape'> {
  const display = describe?.(value)
  return { ...(display ? { display } : {}), ...(shape ? { shape } : {}) }
}

/** Nothing of a file that is denied, also where the question is only for the log. */
function changesOf(
  now: ActionNow,
  shown: ShownInput,
  { redact, rules }: AskSurroundings,
): Pick<PermissionAsk, 'changes'> {
  if (now.changes.length === 0 || deniedBy(now.action, rules)) return {}
  return { changes: shownChanges(now.changes, Buffer.byteLength(JSON.stringify(shown.value) ?? ''), redact) }
}

/** The machine's own rules over what would run. */
export function refusalOf(
  now: ActionNow,
  policy: DenyRules & { roots: readonly string[] },
): 'policy' | 'path' | undefined {
  if (deniedBy(now.action, policy)) return 'policy'
  return policy.roots.some((root) => isInside(now.action.cwd, root)) ? undefined : 'path'
}

/** Exactly this action, unless the adapter offers a wider scope that it can name, and there is no doubt about the names in it. */
function scopeOf(request: PermissionRequest, isDoubtful: boolean): Omit<OfferedScope, 'scopeId'> {
  const offered = GrantScope.safeParse(request.meta?.sessionScope)
  const scope: GrantScope = offered.success && !isDoubtful ? offered.data : { kind: 'exact' }
  return { scope, label: labelOf(scope) }
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
  exact: Omit<OfferedScope, 'scopeId'>,
  { roots, redact }: AskSurroundings,
): OfferedScope[] {
  const { suggestedCommands } = meta
  if (now.doubts.length > 0 || !isAllowedByGrants({ meta })) return []
  const scopes = offeredScopes(exact, now.wide, { roots, suggested: suggestedCommands })
  const readable = scopes.filter(({ label }) => redact(label).text === label)
  return readable.length > 1 ? readable : []
}
