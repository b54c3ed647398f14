/**
 * Prepares a JSON value for writing: replaces bytes that are not text, removes secrets, and limits nesting to what a reader
 * accepts. Pure; does not change its input.
 */
import { isSecretName, isSecretValue } from './patterns'
import { type Mask, plainMask, type Redactor } from './redactor'

export interface CleanedValue {
  value: unknown
  redacted: number
  /** Something was no text and was replaced. */
  lossy: boolean
}

const DEEPEST = 200
/** Half of a surrogate pair is no text, and a zero is refused by PostgreSQL. */
const hasNoText = /\p{Surrogate}|\0/u
const noText = /\p{Surrogate}|\0/gu

export function cleanValue(value: unknown, redact: Redactor, mask: Mask = plainMask): CleanedValue {
  let redacted = 0
  let lossy = false

  const cleanText = (text: string): string => {
    let wellFormed = text
    if (hasNoText.test(text)) {
      wellFormed = text.replace(noText, '\uFFFD')
      lossy = true
    }
    const result = redact(wellFormed, mask)
    redacted += result.count
    return result.text
  }
  // Names are mostly our own, and too short for a secret.
  const cleanName = (name: string): string => (name.length < 16 && !hasNoText.test(name) ? name : cleanText(name))
  const cleanMember = (name: string, member: unknown, depth: number): unknown => {
    const cleaned = walk(member, depth)
    const isSecret =
      typeof member === 'string' && cleaned === member && isSecretName(name) && isSecretValue(name, '=', member)
    if (!isSecret || member.length < 8) return cleaned
    redacted += 1
    return mask('assignment', member)
  }
  const walk = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string') return cleanText(part)
    if (typeof part !== 'object' || part === null) return part
    if (depth >= DEEPEST) {
      lossy = true
      return '[nested too deep]'
    }
    if (Array.isArray(part)) return part.map((item) => walk(item, depth + 1))
    const entries = Object.entries(part).map(
      ([name, member]) => [cleanName(name), cleanMember(name, member, depth + 1)] as const,
    )
    return Object.fromEntries(entries)
  }

  return { value: walk(value, 0), redacted, lossy }
}
