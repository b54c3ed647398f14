/** A reason that says nothing beside the action that it stands below. Pure. */
import { type PermissionAsk, unwrapShell } from '@roundhouse/backend-types'

/** The same words as the command, or as any other text of the input; also behind "Run". */
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
