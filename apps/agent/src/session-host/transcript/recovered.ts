/**
 * Finds what the backend's own transcript holds beyond our log (RES-6, F4). Pure. Both are compared by content from the
 * end; the result is what follows the last thing that the log has. If that point is uncertain, the result is `null`: a
 * reported loss is better than a repeated event.
 *
 *   log         ... p1 a b | p2 c d
 *   transcript      a b | p2 c d e f     ->  e f
 */
import {
  areRefusalWords,
  type BackendOutput,
  commandName,
  isCutValue,
  promptIn,
  promptWords,
  type SessionEvent,
  type SessionEventOf,
} from '@roundhouse/backend-types'
import { sha256 } from '../../log/serialize'
import { compactionGroup, type Mark, onceIn, promptGroup, textOf } from './marks'
import { behindOtherOrder } from './other-order'
import { inOurOrder } from './our-order'

export type RecoverableOutput = Exclude<BackendOutput, { kind: 'raw' | 'tool_progress' }>
type LoggedOutput = SessionEventOf<RecoverableOutput['kind']>

const compaction = 'conversation_compacted'

/** The decision reports the reason of a refusal. */
export const isTold = (output: BackendOutput): output is RecoverableOutput =>
  output.kind !== 'raw' && output.kind !== 'tool_progress' && !areRefusalWords(promptIn(output)?.text ?? '')

/** `clean` applies the log's redaction to a value, so that both sides can be compared. */
export function beyondLog(
  logged: readonly Mark[],
  transcript: readonly BackendOutput[],
  clean: (value: unknown) => unknown,
): RecoverableOutput[] | null {
  const beyond = beyondLogged(logged, transcript, clean)
  // What follows a prompt that the log does not have was not asked here: the conversation continued elsewhere (RES-9).
  const foreign = beyond?.findIndex(isPrompt) ?? -1
  return beyond && foreign >= 0 ? beyond.slice(0, foreign) : beyond
}

/**
 * The same up to the end of the transcript, whoever made it. `isWhole`: the log has the conversation from its
 * beginning, so if nothing was said here yet, everything was said elsewhere.
 */
export function beyondLogged(
  logged: readonly Mark[],
  transcript: readonly BackendOutput[],
  clean: (value: unknown) => unknown,
  isWhole = false,
): RecoverableOutput[] | null {
  const all = transcript
    .filter((output) => output.kind !== 'raw' && output.kind !== 'tool_progress')
    .map((output) => ({ output, mark: markOfOutput(clean(output) as RecoverableOutput) }))
  const groups = new Set(all.map(({ mark }) => mark.group))
  const compared = withoutCommands(
    logged.filter(({ group }) => groups.has(group)),
    all.map(({ mark }) => mark),
  )
  const kept = inOurOrder(compared, all)
  if (isWhole && compared.length === 0) return kept.map(({ output }) => output)
  const marks = kept.map(({ mark }) => mark)
  const heard = withoutUnheard(compared, marks)
  const isSure = (from: number | null): from is number =>
    from !== null && !isReordered(compared.map(textOf), marks.map(textOf), from)
  const inOrder = firstBeyond(heard, marks)
  const from = isSure(inOrder) ? inOrder : behindOtherOrder(heard.map(textOf), marks.map(textOf))
  return isSure(from) ? kept.slice(from).map(({ output }) => output) : null
}

/**
 * Removes what a program does by itself on a command (`/context`). No model hears it, so the record has it in another
 * form or not at all.
 */
function withoutCommands(logged: readonly Mark[], transcript: readonly Mark[]): readonly Mark[] {
  const heard = new Set(transcript.map(textOf))
  let isOfCommand = false
  return logged.filter((mark) => {
    if (heard.has(textOf(mark))) isOfCommand = false
    else if (mark.group === promptGroup) isOfCommand = mark.isCommand === true
    return !isOfCommand
  })
}

/** Content that occurs once in each appears again after the common part, so one of the two has a different order. */
function isReordered(ours: readonly string[], theirs: readonly string[], from: number): boolean {
  const telling = onceIn(ours, onceIn(theirs))
  return theirs.slice(from).some((text) => telling.has(text))
}

const isPrompt = (output: RecoverableOutput): boolean => promptIn(output) !== null

/**
 * Removes prompts that the transcript lacks or has in other words, because they hide nothing before them: the program
 * may have died before it recorded the prompt, after it had answered something else. Also removes a final call, which
 * is known only by its id: programs record some calls only when they end.
 */
function withoutUnheard(logged: readonly Mark[], transcript: readonly Mark[]): readonly Mark[] {
  const heard = new Set(transcript.map(textOf))
  const isHeard = (mark: Mark) => heard.has(textOf(mark))
  const compared = logged.filter((mark) => mark.group !== promptGroup || isHeard(mark))
  const isCall = ({ group }: Mark) => /^tool_(use|result)\b/.test(group)
  return compared.slice(0, compared.findLastIndex((mark) => !isCall(mark) || isHeard(mark)) + 1)
}

/** `null` for events that no transcript has: the host's own words, and blocks that were cut short. */
export function markOfEvent(event: SessionEvent): Mark | null {
  switch (event.kind) {
    case 'user_message':
      return {
        group: promptGroup,
        key: contentKey(
          typeof event.text === 'string' ? promptWords(event.text, event.images?.length ?? 0) : event.text,
        ),
        ...(commandName(String(event.text)) === null ? {} : { isCommand: true as const }),
      }
    case 'assistant_text':
    case 'thinking':
      return event.partial ? null : markOfOutput(event)
    case 'tool_result':
      return event.interrupted ? null : markOfOutput(event)
    case 'tool_use':
    case 'plan':
    case 'system':
      return markOfOutput(event)
    default:
      return null
  }
}

function markOfOutput(output: RecoverableOutput | LoggedOutput): Mark {
  if (output.kind === 'system') {
    // Its figures are reported while it happens, and no transcript keeps them.
    if (output.subtype === compaction) return { group: compactionGroup, key: '' }
    const said = promptIn(output)
    if (said === null) return { group: `system ${output.subtype}`, key: contentKey(output.data) }
    return { group: promptGroup, key: contentKey(said.text) }
  }
  // Transcripts may keep sub-agents elsewhere, so they are a group of their own.
  const group = output.parentCallId === undefined ? output.kind : `${output.kind} nested`
  switch (output.kind) {
    case 'assistant_text':
    case 'thinking':
      return { group, key: contentKey(output.text) }
    case 'tool_use':
    case 'tool_result':
      return { group, key: output.callId }
    case 'plan':
      return { group, key: contentKey(output.items) }
  }
}

/** Equal for a value and for its remainder in the log if it was too large (LOG-6). */
function contentKey(value: unknown): string {
  if (isCutValue(value)) return value.sha256
  return sha256(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** How far back two records are compared in search of unique content. */
const LONGEST_RUN = 5_000

/** Index of the first mark of the transcript that the log does not have; `null` if that is uncertain. */
export function firstBeyond(logged: readonly Mark[], transcript: readonly Mark[]): number | null {
  if (transcript.length === 0) return 0
  const [ours, theirs] = [logged.map(textOf), transcript.map(textOf)]
  const telling = onceIn(ours, onceIn(theirs))
  const meets = (here: number, there: number) => runMeets(ours, here, theirs, there, telling)
  const last = ours.at(-1)
  for (let there = theirs.length; there > 0; there--) {
    if (theirs[there - 1] === last && meets(ours.length, there)) return there
  }
  // The transcript may end before the log does: programs write their record a little later than they print.
  for (let here = ours.length - 1; here > 0; here--) {
    if (ours[here - 1] === theirs.at(-1) && meets(here, theirs.length)) return theirs.length
  }
  return null
}

/**
 * Whether both run back together from here to content that occurs once in each, or to the beginning of both: the match
 * is then unambiguous.
 */
function runMeets(
  ours: readonly string[],
  here: number,
  theirs: readonly string[],
  there: number,
  telling: ReadonlySet<string>,
): boolean {
  for (let back = 1; back <= LONGEST_RUN; back++) {
    const [one, other] = [ours[here - back], theirs[there - back]]
    if (one === undefined || other === undefined) return one === other
    if (one !== other) return false
    if (telling.has(one)) return true
  }
  return false
}

/**
 * How many prompts the transcript has, from the first common one, that the log lacks. Prompts that only the log has may
 * be the same in other words and are subtracted.
 */
export function unknownPrompts(
  logged: readonly Mark[],
  transcript: readonly BackendOutput[],
  clean: (value: unknown) => unknown,
): number {
  const ours = logged.filter(({ group }) => group === promptGroup).map(textOf)
  const theirs = transcript
    .filter((output) => promptIn(output) !== null)
    .map((output) => textOf(markOfOutput(clean(output) as RecoverableOutput)))
  const shared = theirs.slice(
    Math.max(
      0,
      theirs.findIndex((text) => ours.includes(text)),
    ),
  )
  const unknown = shared.filter((text) => !ours.includes(text)).length
  const unheard = ours.filter((text) => !theirs.includes(text)).length
  return shared.some((text) => ours.includes(text)) ? Math.max(0, unknown - unheard) : 0
}
