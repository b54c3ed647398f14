/**
 * Which of the options that a program offers is the decision. Chosen by `kind`; among several of one kind the one that changes
 * nothing else, since programs offer "yes, and accept edits from now on" under the same kind as "yes". An option for always is
 * never chosen: grants are the host's (PERM-5). Pure.
 */
import { asList, asRecord, asText } from '@roundhouse/adapter-kit/read'

export interface AskOption {
  optionId: string
  kind: string
  name: string
}

export interface Choices {
  /** Runs the call this once. */
  allow: AskOption
  /** Absent: a refusal is said as "cancelled". */
  deny: AskOption | undefined
}

/** Undefined where nothing can be allowed once: then nobody needs to be asked. */
export function choicesOf(options: unknown): Choices | undefined {
  const known = asList(options).flatMap((option) => {
    const { optionId, kind, name } = asRecord(option)
    return typeof optionId === 'string' && typeof kind === 'string'
      ? [{ optionId, kind, name: asText(name) ?? optionId }]
      : []
  })
  const allow = plainest(known.filter(({ kind }) => kind === 'allow_once'))
  return allow && { allow, deny: plainest(known.filter(({ kind }) => kind === 'reject_once')) }
}

/** Words of an option that does more than its kind says. */
const doesMore = /always|auto|\ball\b|mode|accept|edits?\b|session|remember|trust|yolo|server|future|don.?t ask/i

function plainest(options: AskOption[]): AskOption | undefined {
  const plain = options.filter(({ optionId, name }) => !doesMore.test(words(optionId)) && !doesMore.test(name))
  if (plain.length > 0) return plain[0]
  // One alone is what its kind says, whatever it is called. Of several that all do more, none is it.
  return options.length === 1 ? options[0] : undefined
}

/** `proceedAlways`, `proceed_always` and `ProceedAlways`: an underscore is no boundary of words to an expression. */
const words = (optionId: string): string => optionId.replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2')
