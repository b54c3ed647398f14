/**
 * Computes a changed text and the lines that the change touches. A region has the lines from `from` up to but not including
 * `to`, before and after. Windows line ends count as line ends. Pure.
 */
import type { PlannedChange, Replacement } from './planned-changes'

export interface Region {
  before: { from: number; to: number }
  after: { from: number; to: number }
}

export interface ChangedText {
  after: string
  regions: Region[]
  /** The replaced part. */
  places?: number
}

export const withoutReturns = (text: string): string => text.replaceAll('\r\n', '\n')

/** Null where the text that is to be replaced is not there, or is there more often than it says. */
export function changedText(before: string, change: PlannedChange): ChangedText | { places: number } {
  if (change.kind === 'write') {
    const after = withoutReturns(change.text)
    return { after, regions: [wholeRegion(before, after)] }
  }
  const [first, ...more] = change.steps
  if (!first) return { places: 0 }
  const changed = replaced(before, first)
  if (more.length === 0 || !('after' in changed)) return changed
  let text = changed.after
  let places = changed.places ?? 0
  for (const step of more) {
    const next = replaced(text, step)
    if (!('after' in next)) return next
    text = next.after
    places += next.places ?? 0
  }
  return { after: text, regions: [wholeRegion(before, text)], places }
}

function replaced(text: string, step: Replacement): ChangedText | { places: number } {
  const after = withoutReturns(step.after)
  const before = whatGoes(text, withoutReturns(step.before), after)
  // An empty text stands for a file that is empty.
  if (before === '') return text === '' ? { after, regions: [wholeRegion(text, after)], places: 1 } : { places: 0 }
  const found = placesOf(text, before)
  if (found.length === 0 || (found.length > 1 && !step.everywhere)) return { places: found.length }
  const result = text.split(before).join(after)
  return { after: result, regions: regionsOf(text, found, before, after), places: found.length }
}

/** Claude Code also deletes the end of the line of what it deletes. */
function whatGoes(text: string, before: string, after: string): string {
  const takesLine = after === '' && before !== '' && !before.endsWith('\n') && text.includes(`${before}\n`)
  return takesLine ? `${before}\n` : before
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at)
  return places
}

function regionsOf(text: string, found: readonly number[], before: string, after: string): Region[] {
  const inside = count(before)
  const grows = count(after) - inside
  const regions: Region[] = []
  let [line, seen, grown] = [0, 0, 0]
  for (const at of found) {
    line += count(text.slice(seen, at))
    seen = at
    const last = regions.at(-1)
    const to = line + inside + 1
    // What begins in a line that another place ends in belongs to that one.
    if (last && line < last.before.to) {
      last.before.to = to
      last.after.to = to + grown + grows
    } else {
      regions.push({ before: { from: line, to }, after: { from: line + grown, to: to + grown + grows } })
    }
    grown += grows
  }
  return regions
}

const count = (text: string): number => text.split('\n').length - 1

function wholeRegion(before: string, after: string): Region {
  return { before: { from: 0, to: count(before) + 1 }, after: { from: 0, to: count(after) + 1 } }
}
