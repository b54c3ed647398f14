/**
 * A person's prompt, as an adapter reads it from the record of a conversation. No program prints it, so among the outputs it
 * is `system` with the subtype `user_message`.
 */
import type { BackendOutput } from './output'

export interface TranscriptPrompt {
  text: string
  /** How many came with it. */
  images: number
  /** It leaves out the answer before it in the record: the conversation has two branches from there on. */
  forks?: true
}

const subtype = 'user_message'

/** A prompt of images alone has words too: without any it would be none. */
export const promptWords = (words: string, images: number): string => words || Array(images).fill('[Image]').join(' ')

export function transcriptPrompt(words: string, images = 0, forks = false): BackendOutput {
  const text = promptWords(words, images)
  return { kind: 'system', subtype, data: { text, ...(images > 0 && { images }), ...(forks && { forks }) } }
}

export function promptIn(output: BackendOutput): TranscriptPrompt | null {
  if (output.kind !== 'system' || output.subtype !== subtype) return null
  const { text, images, forks } = (output.data ?? {}) as { text?: unknown; images?: unknown; forks?: unknown }
  return {
    text: typeof text === 'string' ? text : '',
    images: typeof images === 'number' ? images : 0,
    ...(forks === true && { forks }),
  }
}

const refused = /^The person refused this(?: call)? and says: /

/** The reason of a refusal, for a program whose refusals take none: it is said into the turn as a person's words. */
export const refusalWords = (reason: string): string => `The person refused this call and says: ${reason}`

/** The record of the conversation has them among the prompts, and they are none. An earlier release left `call` out. */
export const areRefusalWords = (text: string): boolean => refused.test(text)
