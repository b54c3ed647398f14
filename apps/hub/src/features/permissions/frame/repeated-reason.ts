/** Detects a reason that adds nothing to the action above it. Pure. */
import { type PermissionAsk, unwrapShell } from '@roundhouse/backend-types'

/** True if it repeats the command, any other text of the input or the name of its file, also after "Run". */
export function isRepeated(reason: string, input: PermissionAsk['input']): boolean {
  const texts = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  const said = texts.flatMap((text) =>
    typeof text === 'string' ? [text, unwrapShell(text), fileName(text)].map(words) : [],
  )
  return said.includes(words(reason)) || said.includes(words(reason.replace(/^\s*runs?:? /i, '')))
}

const fileName = (text: string) => text.slice(text.lastIndexOf('/') + 1)

const words = (text: string) =>
  text
    .toLowerCase()
    .replace(/[`"'“”‘’]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.:]$/, '')
