/** Texts of a log as a run tells them: a value that the log cut is told by its ends, and the whole text is bounded. */
import { type CutValue, isCutValue } from '@roundhouse/backend-types'

/** UTF-16 units of what a run said. Of more, the end is kept. */
export const RUN_TEXT_LENGTH = 1_048_576
const BREAK = '\n\n'
const LEFT_OUT = '[…]'

export const textOf = (value: string | CutValue): string => (typeof value === 'string' ? value : endsOf(value))

/** What a tool gave, as text. */
export function outputOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (isCutValue(value)) return endsOf(value)
  return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '')
}

export function withText(before: string, more: string): string {
  if (more === '') return before
  const all = before === '' ? more : before + BREAK + more
  return all.length <= RUN_TEXT_LENGTH ? all : LEFT_OUT + wholeFrom(all, all.length - RUN_TEXT_LENGTH + LEFT_OUT.length)
}

const endsOf = ({ head, tail, bytes }: CutValue): string => `${head}\n[… ${bytes} bytes in all]\n${tail}`

/** No half of a character at the beginning. */
const wholeFrom = (text: string, at: number): string => text.slice(at).replace(/^[\udc00-\udfff]/, '')
