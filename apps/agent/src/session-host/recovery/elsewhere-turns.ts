/**
 * Finds the turns that another program, such as a terminal, made in this conversation (RES-9). Pure. Log and transcript
 * are compared by content (`recovered.ts`); the result begins at the first prompt that the log does not have.
 *
 *   log         p1 a
 *   transcript  p1 a | p2 b c | p3 d      ->  [p2: b c] [p3: d]
 */
import { type BackendOutput, promptIn, type SessionEvent, type TranscriptPrompt } from '@roundhouse/backend-types'
import type { LoggedConversation } from '../transcript/logged-marks'
import { beyondLogged, type RecoverableOutput, unknownPrompts } from '../transcript/recovered'

export interface ElsewhereTurn {
  /** Absent if the last read turn continued. */
  prompt?: TranscriptPrompt
  outputs: RecoverableOutput[]
}

export interface Elsewhere {
  turns: ElsewhereTurn[]
  /** Prompts among those that the log has: both were made at the same time, so the conversation forked there. */
  forked: number
}

/** `goesOn`: the last turn of the log was made elsewhere. Returns `null` if the log's end in the transcript is uncertain. */
export function turnsElsewhere(
  { marks, isWhole }: LoggedConversation,
  transcript: readonly BackendOutput[],
  clean: (value: unknown) => unknown,
  goesOn: boolean,
): Elsewhere | null {
  const beyond = beyondLogged(marks, transcript, clean, isWhole)
  if (beyond === null) return null
  const turns: ElsewhereTurn[] = []
  for (const output of beyond) {
    const prompt = promptIn(output)
    if (prompt) turns.push({ prompt, outputs: [] })
    // Between turns nothing of our own program is missing: the host recorded its output.
    else if (turns.length > 0) turns.at(-1)?.outputs.push(output)
    else if (goesOn) turns.push({ outputs: [output] })
  }
  const before = transcript.slice(0, transcript.length - beyond.length)
  return { turns, forked: unknownPrompts(marks, before, clean) }
}

export function eventsOfTurn({ prompt, outputs }: ElsewhereTurn, newId: () => string): SessionEvent[] {
  const place = { turnId: newId(), recovered: true }
  const said: SessionEvent[] =
    prompt === undefined
      ? []
      : [{ kind: 'user_message', ...place, promptId: newId(), text: prompt.text }, ...imagesNote(prompt, place)]
  const told = outputs.map((output): SessionEvent => ({ ...output, ...place }))
  const answered = new Set(outputs.flatMap((output) => (output.kind === 'tool_result' ? [output.callId] : [])))
  const open = outputs.flatMap((output) =>
    output.kind === 'tool_use' && !answered.has(output.callId) ? [output.callId] : [],
  )
  return [
    ...(prompt?.forks ? [forksNote] : []),
    { kind: 'turn_started', ...place, trigger: 'backend', elsewhere: true },
    ...said,
    ...told,
    ...open.map((callId): SessionEvent => {
      return { kind: 'tool_result', ...place, callId, output: null, isError: true, interrupted: true }
    }),
    { kind: 'turn_completed', ...place, reason: 'completed' },
  ]
}

const forksNote: SessionEvent = {
  kind: 'system',
  subtype: 'transcript_untold',
  data: {
    message:
      'This conversation was continued elsewhere without the answer above, and has two branches now. The program goes on with one of them: its model does not know what was said in the other.',
  },
}

/** The hub has none of these images: nobody uploaded them. */
function imagesNote({ images }: TranscriptPrompt, place: object): SessionEvent[] {
  if (images === 0) return []
  const came = images === 1 ? 'An image' : `${images} images`
  const message = `${came} came with this prompt. Only the program's own record of the conversation has ${images === 1 ? 'it' : 'them'}.`
  return [{ kind: 'system', ...place, subtype: 'transcript_untold', data: { message } }]
}
