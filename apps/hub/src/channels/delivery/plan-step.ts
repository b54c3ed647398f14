/**
 * What a chat is told next, from its place in the log (CHAN-5). Each step is one message, and the place after it: a step that is
 * repeated shows the same message again. Pure.
 */
import type { ChatPlace, LinkChange } from '../../core'
import { atRest } from '../places/chat-places'
import type { SaidOf } from '../words/event-words'
import { cutText, plainText, splitText } from '../words/split-text'

export type Step =
  /** `part` and `blockId`: of which it is a part. `grows`: the message is edited later. */
  | { do: 'send'; text: string; part: number; blockId: string | null; grows?: true; change: LinkChange }
  | { do: 'edit'; messageId: string; text: string; change: LinkChange }
  | { do: 'remove'; messageId: string; change: LinkChange }
  | { do: 'ask'; ask: NonNullable<SaidOf['ask']>; change: LinkChange }
  | { do: 'move'; change: LinkChange }

/** `to`: the last number of the event. */
export function planEvent(place: ChatPlace, said: SaidOf & { to: number }, most: number): Step {
  const { to, finishes, ask } = said
  const { blockId } = place
  const isItsEnd = finishes !== undefined && (finishes === null || blockId === null || finishes === blockId)
  // What was shown of another block was withdrawn.
  if (said.endsBlocks && blockId !== null && !isItsEnd) return withdrawn(place, atRest)
  if (ask) return { do: 'ask', ask, change: { seq: to } }
  // Between the parts of a block that still grows, other things take one message.
  if (said.text !== null && blockId !== null && !isItsEnd) return send(cutText(said.text, most), to)
  const parts = splitText(said.text ?? '', most)
  const next = parts[place.part]
  const done = { ...atRest, seq: to }
  if (next === undefined) return withdrawn(place, done)
  const isLast = place.part === parts.length - 1
  const change = isLast ? done : { part: place.part + 1, blockId: finishes ?? blockId, openMessage: null }
  if (place.openMessage !== null) return { do: 'edit', messageId: place.openMessage, text: next, change }
  return { do: 'send', text: next, part: place.part, blockId: finishes ?? blockId, change }
}

function send(text: string, to: number): Step {
  if (text.trim() === '') return { do: 'move', change: { seq: to } }
  return { do: 'send', text: text.trim(), part: 0, blockId: null, change: { seq: to } }
}

/** A message of which nothing is left. */
const withdrawn = ({ openMessage }: ChatPlace, change: LinkChange): Step =>
  openMessage === null ? { do: 'move', change } : { do: 'remove', messageId: openMessage, change }

export interface GrowingBlock {
  blockId: string
  /** From its beginning. */
  text: string
}

/** Of a chat that has everything that is stored. Null: nothing new is shown. */
export function planLive(place: ChatPlace, block: GrowingBlock, most: number): Step | null {
  const { blockId } = block
  const isOther = place.blockId !== null && place.blockId !== blockId
  if (isOther || (place.blockId === null && place.part > 0)) return null
  const parts = splitText(plainText(block.text), most)
  const next = parts[place.part]
  if (next === undefined) return null
  const isLast = place.part === parts.length - 1
  const change = isLast ? { blockId } : { blockId, part: place.part + 1, openMessage: null }
  if (place.openMessage !== null) return { do: 'edit', messageId: place.openMessage, text: next, change }
  return { do: 'send', text: next, part: place.part, blockId, ...(isLast ? { grows: true as const } : {}), change }
}
