/**
 * Checks whether a machine shows what a person sent. Before it reports a text, a machine replaces invalid characters,
 * redacts secrets and may cut a long text (LOG-9, LOG-6). Every other character must be the person's. Pure.
 */
import { type CutValue, isCutValue } from '@roundhouse/backend-types'
import { sha256 } from './digests'

const mark = /\[redacted:[a-z-]+(?:#\d+)?\]/
const onlyMark = new RegExp(`^${mark.source}$`)
const noText = /\p{Surrogate}|\0/gu
/** Part of a mark that a cut went through. */
const openMark = /\[(?:r(?:e(?:d(?:a(?:c(?:t(?:e(?:d(?::[a-z#\d-]*)?)?)?)?)?)?)?)?)?$/
const closedMark = /^[a-z:#\d-]{0,40}\]/

export function isSameText(sent: string, shown: string | CutValue): boolean {
  const clean = sent.replace(noText, '�')
  if (typeof shown === 'string') return follows(clean, shown.split(mark), { start: true, end: true })
  if (!isLongEnough(clean, shown)) return false
  const head = shown.head.replace(openMark, '')
  const tail = shown.tail.replace(closedMark, '')
  return (
    follows(clean, head.split(mark), { start: true, end: false }) &&
    follows(clean, tail.split(mark), { start: false, end: true })
  )
}

/** A machine cuts events of more than 64 KiB (LOG-6). Other parts of the event, and secrets, may take some of that. */
const LEAST_CUT_BYTES = 48 * 1_024
/** A little less than a machine keeps of each end if a mark was cut. */
const LEAST_HEAD = 8_000
const LEAST_TAIL = 4_000

/** A short text is never cut, and neither end is ever short. Size and sum are those of the text without redaction. */
function isLongEnough(sent: string, { head, tail, bytes, sha256: sum }: CutValue): boolean {
  const couldBeCut = Buffer.byteLength(JSON.stringify(sent)) >= LEAST_CUT_BYTES
  if (!couldBeCut || head.length < LEAST_HEAD || tail.length < LEAST_TAIL) return false
  return sum !== sha256(sent) || bytes === Buffer.byteLength(sent)
}

/** The same for any JSON value. A cut value is compared by its text. */
export function isSameValue(sent: unknown, shown: unknown): boolean {
  if (isCutValue(shown) && !isCutValue(sent)) return isSameText(JSON.stringify(sent) ?? '', shown)
  if (typeof sent === 'string') return typeof shown === 'string' && isSameText(withoutMarks(sent), withoutMarks(shown))
  if (typeof sent !== 'object' || sent === null) return sent === shown || isHidden(shown)
  if (typeof shown !== 'object' || shown === null || Array.isArray(sent) !== Array.isArray(shown)) return false
  const [wanted, found] = [Object.entries(sent), Object.entries(shown)]
  return (
    wanted.length === found.length &&
    wanted.every(([name, value]) => Object.hasOwn(shown, name) && isSameValue(value, (shown as never)[name]))
  )
}

/** A person's edit has the marks that were shown; the machine counts them again. */
const withoutMarks = (text: string) => text.replace(new RegExp(mark, 'g'), '[redacted:secret]')
const isHidden = (shown: unknown) => typeof shown === 'string' && onlyMark.test(shown)

/** The parts appear in the text in this order, the first at its start and the last at its end if these are known. */
function follows(text: string, parts: readonly string[], known: { start: boolean; end: boolean }): boolean {
  const last = parts.at(-1) ?? ''
  const [first = ''] = parts
  if (parts.length === 1 && known.start && known.end) return text === first
  if (known.start && !text.startsWith(first)) return false
  if (known.end && !text.endsWith(last)) return false
  let at = 0
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}
