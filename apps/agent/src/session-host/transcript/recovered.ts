/**
 * What the backend's own transcript holds beyond our log (RES-6, F4). Pure: both are laid side by side by content, from the
 * end, and only what follows the last thing that the log has is given back. Where it is not certain which that is, the
 * answer is `null`: rather a loss that is told of than anything twice.
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
import { inOurOrder } from './our-order'

export type RecoverableOutput = Exclude<BackendOutput, { kind: 'raw' | 'tool_progress' }>
type LoggedOutput = SessionEventOf<RecoverableOutput['kind']>

const compaction = 'conversation_compacted'

/** The reason of a refusal is told with its decision. */
export const isTold = (output: BackendOutput): output is RecoverableOutput =>
  output.kind !== 'raw' && output.kind !== 'tool_progress' && !areRefusalWords(promptIn(output)?.text ?? '')

/** `clean`: what the log does to a value before it is written, without which the two could not be compared. */
export function beyondLog(
  logged: readonly Mark[],
  transcript: readonly BackendOutput[],
  clean: (value: unknown) => unknown,
): RecoverableOutput[] | null {
  const beyond = beyondLogged(logged, transcript, clean)
  // What follows a prompt that the log does not have was not asked here: the conversation went on elsewhere (RES-9).
  const foreign = beyond?.findIndex(isPrompt) ?? -1
  return beyond && foreign >= 0 ? beyond.slice(0, foreign) : beyond
}

/**
 * The same, to the end of the transcript, whoever asked for it. `isWhole`: the log has the conversation from its beginning, so
 * that where nothing was said here yet all of it was said elsewhere.
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
  const from = firstBeyond(withoutUnheard(compared, marks), marks)
  if (from === null || isReordered(compared.map(textOf), marks.map(textOf), from)) return null
  return kept.slice(from).map(({ output }) => output)
}

/**
 * What a program does by itself on a command (`/context`) and what it says to it no model hears, so that its record has it in
 * a form of its own, or not at all.
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

/** Something that occurs once in each is told again behind what both have: then one of them is in another order. */
function isReordered(ours: readonly string[], theirs: readonly string[], from: number): boolean {
  const telling = onceIn(ours, onceIn(theirs))
  return theirs.slice(from).some((text) => telling.has(text))
}

const isPrompt = (output: RecoverableOutput): boolean => promptIn(output) !== null

/**
 * A prompt that the transcript does not know, or knows in other words, hides nothing that came before it: the program may have
 * died before it wrote that down, after it had answered to something else. Nor does a call at the end, which is known by its id
 * alone: programs write some down only once they are over.
 */
function withoutUnheard(logged: readonly Mark[], transcript: readonly Mark[]): readonly Mark[] {
  const heard = new Set(transcript.map(textOf))
  const isHeard = (mark: Mark) => heard.has(textOf(mark))
  const compared = logged.filter((mark) => mark.group !== promptGroup || isHeard(mark))
  const isCall = ({ group }: Mark) => /^tool_(use|result)\b/.test(group)
  return compared.slice(0, compared.findLastIndex((mark) => !isCall(mark) || isHeard(mark)) + 1)
}

/** `null` for what no transcript has: the host's own words, and blocks that were cut short. */
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
    // Its figures are told while it happens, and no transcript keeps them.
    if (output.subtype === compaction) return { group: compactionGroup, key: '' }
    const said = promptIn(output)
    if (said === null) return { group: `system ${output.subtype}`, key: contentKey(output.data) }
    return { group: promptGroup, key: contentKey(said.text) }
  }
  // Transcripts may keep sub-agents elsewhere, so theirs is a group of its own.
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

/** The same for a value and for what is left of it in the log when it was too large (LOG-6). */
function contentKey(value: unknown): string {
  if (isCutValue(value)) return value.sha256
  return sha256(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** How far two accounts are followed back in search of something that tells where they meet. */
const LONGEST_RUN = 5_000

/** Index of the first mark of the transcript that the log does not have; `null` if that is not certain. */
export function firstBeyond(logged: readonly Mark[], transcript: readonly Mark[]): number | null {
  if (transcript.length === 0) return 0
  const [ours, theirs] = [logged.map(textOf), transcript.map(textOf)]
  const telling = onceIn(ours, onceIn(theirs))
  const meets = (here: number, there: number) => runMeets(ours, here, theirs, there, telling)
  const last = ours.at(-1)
  for (let there = theirs.length; there > 0; there--) {
    if (theirs[there - 1] === last && meets(ours.length, there)) return there
  }
  // The transcript may end before the log does: programs write theirs a little later than they print.
  for (let here = ours.length - 1; here > 0; here--) {
    if (ours[here - 1] === theirs.at(-1) && meets(here, theirs.length)) return theirs.length
  }
  return null
}

/**
 * Whether the two run back together from here to something that occurs once in each, or to the beginning of both: then
 * nothing else can be meant.
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
 * How many prompts the transcript has, from the first that both have, that the log has not; those that the log alone has may
 * be the same in other words and are taken off.
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
