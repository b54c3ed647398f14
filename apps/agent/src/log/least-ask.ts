/**
 * Shortens a permission request so that an event can always hold it (PERM-6): parts that are too large or invalid are cut or
 * left out, and each place says so. `serialize.ts` cuts the input. Pure.
 */
import { PermissionAsk, unreadableForm } from '@roundhouse/backend-types'
import { shortened, shortId } from './shortened'

/** Characters of a request without its input. Forms and plans have lower limits of their own. */
const MOST_BESIDE_INPUT = 100_000
const LONGEST_REASON = 8_000
const LONGEST_NAME = 1_000
const LONGEST_PATH = 4_096

/** Returns the same request if it fits. */
export function fittingAsk(ask: PermissionAsk): PermissionAsk {
  const cut = withShortWords(ask)
  return fits(cut) ? cut : leastAsk(cut)
}

function fits(ask: PermissionAsk): boolean {
  const { input: _, ...rest } = ask
  return JSON.stringify(rest).length <= MOST_BESIDE_INPUT && PermissionAsk.safeParse(ask).success
}

function withShortWords(ask: PermissionAsk): PermissionAsk {
  return {
    ...ask,
    callId: shortId(ask.callId),
    toolName: shortened(ask.toolName, LONGEST_NAME),
    cwd: shortened(ask.cwd, LONGEST_PATH),
    ...(ask.reason === undefined ? {} : { reason: shortened(ask.reason, LONGEST_REASON) }),
  }
}

/** Only what is needed to decide the request. A request that cannot be shown can only be refused. */
export function leastAsk(ask: PermissionAsk): PermissionAsk {
  const { requestId, procId, turnId, digest, input, inputCut, display, shape, askedAt, expiresAt } = ask
  const { callId, toolName, cwd, reason } = withShortWords(ask)
  const isQuestion = ask.form !== undefined || ask.answerFields !== undefined
  return {
    requestId,
    procId,
    callId,
    ...(turnId === undefined ? {} : { turnId }),
    toolName,
    input,
    ...(inputCut ? { inputCut } : {}),
    ...(display ? { display } : {}),
    ...(shape ? { shape } : {}),
    digest,
    cwd,
    ...(reason === undefined ? {} : { reason }),
    askedAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    canEdit: ask.canEdit && !isQuestion,
    canExplainDeny: ask.canExplainDeny,
    ...(isQuestion ? { form: unreadableForm('It is too large, or a part of it is empty.') } : {}),
    sessionScope: { scope: { kind: 'exact' }, label: 'exactly this action' },
    filesPinned: ask.filesPinned,
    redactedSpans: ask.redactedSpans,
    notes: [...notesOf(ask), partsMissing].slice(-8),
  }
}

const partsMissing =
  'Parts of this request were too large to be shown here. Its input is complete, or says what is missing.'

const notesOf = ({ notes }: PermissionAsk): string[] =>
  Array.isArray(notes) ? notes.slice(0, 7).map((note) => shortened(String(note), 900)) : []
