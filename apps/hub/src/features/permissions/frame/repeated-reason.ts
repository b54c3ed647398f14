/** Detects a reason that adds nothing to the action above it. Pure. */
import { type PermissionAsk, unwrapShell } from '@roundhouse/backend-types'

/** True if it repeats the command or any other text of the input, also after "Run". */
export function isRepeated(reason: string, input: PermissionAsk['input']): boolean {
  const texts = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  const said = texts.flatMap((text) => (typeof text === 'string' ? [words(text), words(unwrapShell(text))] : []))
  return said.includes(words(reason)) || said.includes(words(reason.replace(/^\s*runs?:? /i, '')))
}

const words = (text: string) =>
  text
    .toLowerCase()
    .replace(/[`"'“”‘’]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.:]$/, '')
