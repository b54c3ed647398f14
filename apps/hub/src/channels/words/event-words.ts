/** What a chat is told of an event. Pure. */
import {
  type CutValue,
  isCutValue,
  type PermissionAsk,
  parseEventBody,
  type SessionEventOf,
  type StoredEvent,
} from '@roundhouse/backend-types'
import { plainText } from './split-text'

export interface SaidOf {
  /** Null: nothing. */
  text: string | null
  /** The block of the program's text that this finishes. `undefined`: it finishes none. Null: one without an id. */
  finishes?: string | null
  /** A block that is still shown as growing grows no more: it was withdrawn. */
  endsBlocks?: true
  /** A permission request. */
  ask?: Pick<PermissionAsk, 'requestId' | 'digest'>
}

export interface Listener {
  userId: string
  /** Under which the chat itself speaks. */
  name: string
}

const nothing: SaidOf = { text: null }

export function saidOf(event: StoredEvent, listener: Listener): SaidOf {
  const body = parseEventBody(event.body)
  switch (body?.kind) {
    case 'assistant_text':
      if (body.parentCallId !== undefined) return nothing
      return { text: wholeText(body.text), finishes: body.blockId ?? null, endsBlocks: true }
    case 'user_message':
      return { text: promptWords(body, event.doneBy, listener) }
    case 'permission_requested':
      return { text: null, ask: body.ask }
    case 'turn_completed':
      return { text: turnWords(body), endsBlocks: true }
    case 'process_exited':
      return { text: exitWords(body), endsBlocks: true }
    case 'session_ended':
      return { text: endWords(body), endsBlocks: true }
    case 'gap':
      return { text: '(Some of what was said here is missing.)' }
    default:
      return nothing
  }
}

function wholeText(text: string | CutValue): string {
  if (!isCutValue(text)) return plainText(text)
  return plainText(`${text.head}\n\n(… The middle is left out. The page has it.)\n\n${text.tail}`)
}

/** What this chat said stands in it already. */
function promptWords(
  { text, images }: SessionEventOf<'user_message'>,
  author: StoredEvent['doneBy'],
  { userId, name }: Listener,
): string | null {
  if (author?.userId === userId && author.name === name) return null
  const said = [
    wholeText(text),
    ...(images ? [`(${images.length === 1 ? 'an image' : `${images.length} images`})`] : []),
  ]
  return `${author ? plainText(author.name) : 'Somebody'} wrote:\n${said.join('\n')}`
}

const turnEnds: Readonly<Record<string, string>> = {
  interrupted: 'The turn was stopped.',
  failed: 'The turn failed.',
  process_exited: 'The turn ended because the program did.',
  max_turns: 'The turn reached its limit of steps.',
  budget: 'The turn reached its budget.',
  outcome_unknown: 'It is not known how the turn ended.',
}

function turnWords({ reason, error }: SessionEventOf<'turn_completed'>): string | null {
  const words = turnEnds[reason]
  if (words === undefined) return null
  return error ? `${words} ${plainText(error.message)}` : words
}

function exitWords({ error, cause }: SessionEventOf<'process_exited'>): string {
  const words = cause === 'start_failed' ? 'The program did not start.' : 'The program ended unexpectedly.'
  return error ? `${words} ${plainText(error.message)}` : words
}

function endWords({ error }: SessionEventOf<'session_ended'>): string {
  return error ? `The session has ended. ${plainText(error.message)}` : 'The session has ended.'
}
