/**
 * The reason of a refusal, for a program whose refusals take none: it is steered into the turn, and the record of the
 * conversation has it among the prompts.
 */
import type { BackendOutput } from '@roundhouse/backend-types'

const beginning = 'The person refused this and says: '

export const refusalWords = (reason: string): string => `${beginning}${reason}`

export function areRefusalWords(output: BackendOutput): boolean {
  if (output.kind !== 'system' || output.subtype !== 'user_message') return false
  const text = (output.data as { text?: unknown } | null)?.text
  return typeof text === 'string' && text.startsWith(beginning)
}
