/**
 * Shows a tool's input to people with its secrets redacted, and applies an edit of the shown input to the requested
 * one. Each secret has its own mark, so that an edit that touches one is noticed (PERM-2).
 */
import { CodedError } from '@roundhouse/backend-types'
import type { Redactor } from '../../redact/redactor'
import { cleanValue } from '../../redact/value'

export interface ShownInput {
  value: unknown
  /** The secret behind each mark. */
  secrets: ReadonlyMap<string, string>
}

export function showInput(input: unknown, redact: Redactor): ShownInput {
  const secrets = new Map<string, string>()
  const { value } = cleanValue(input, redact, (kind, secret) => {
    const mark = `[redacted:${kind}#${secrets.size + 1}]`
    secrets.set(mark, secret)
    return mark
  })
  return { value, secrets }
}

/** Returns the edit with the secrets restored. Each mark must occur exactly once; otherwise throws `EDIT_NOT_ALLOWED`. */
export function restoreInput(edited: unknown, shown: ShownInput): unknown {
  if (shown.secrets.size === 0) return edited
  const used = new Map<string, number>()
  const restored = mapStrings(edited, (text) =>
    text.replace(/\[redacted:[a-z-]+#\d+\]/g, (mark) => {
      const secret = shown.secrets.get(mark)
      if (secret === undefined) return mark
      used.set(mark, (used.get(mark) ?? 0) + 1)
      return secret
    }),
  )
  if ([...shown.secrets.keys()].some((mark) => used.get(mark) !== 1)) {
    throw new CodedError(
      'EDIT_NOT_ALLOWED',
      'The edit touches a part that was hidden. Decide on it as it is, or refuse it.',
    )
  }
  return restored
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), mapStrings(member, change)]))
}
