/** The texts above and below the change of a file: what the file contains now, and what the machine did not read. Pure. */
import type { FileChange } from '@roundhouse/backend-types'
import type { DrawnChange } from './input-detail'

/** The text above it. `isAsked`: a person decides about it now. `null`: there is nothing to say. */
export function changeWords(change: DrawnChange, found: FileChange | undefined, isAsked: boolean): string | null {
  if (change.kind === 'delete') return 'Deletes the file.'
  if (change.kind === 'patch') return null
  if (!found) {
    if (!isAsked) return null
    return change.kind === 'edit'
      ? 'The machine did not compare this with the file.'
      : 'The machine did not say whether this file exists.'
  }
  return [firstWords(change, found), ...(found.crlf ? ['Windows line endings (CRLF) are not compared.'] : [])].join(' ')
}

type Compared = Exclude<DrawnChange, { kind: 'delete' | 'patch' }>

function firstWords(change: Compared, found: FileChange): string {
  if (found.unseen !== undefined) return unseenWords(change, found)
  if (change.kind === 'edit') return editWords(change, found)
  if (found.was === 'missing') return 'New file.'
  if (found.diff === '') return 'The file exists and has this text already.'
  return `Replaces an existing file${ofLines(found)}.`
}

function editWords({ before, everywhere }: Extract<DrawnChange, { kind: 'edit' }>, found: FileChange): string {
  const { was, places = 0 } = found
  if (was === 'missing') return before === '' ? 'New file.' : 'This file does not exist.'
  if (places === 0) return 'The text to replace is not in the file as it is now.'
  if (everywhere) return `Replaces ${counted(places, 'place')} in a file${ofLines(found)}.`
  if (places > 1) return `The text to replace is in the file ${places.toLocaleString()} times.`
  return `Changes an existing file${ofLines(found)}.`
}

const reasons: Record<string, string> = {
  outside: 'It is outside the folders of this session, so the machine did not look at it.',
  unreadable: 'The machine could not read it.',
  too_large: 'It is too large to be compared.',
  not_text: 'It is not UTF-8 text, so it was not compared.',
  not_a_file: 'It is not an ordinary file.',
}

function unseenWords(change: Compared, { was, unseen = '' }: FileChange): string {
  const reason = Object.hasOwn(reasons, unseen) ? reasons[unseen] : `The machine did not compare it (${unseen}).`
  if (was !== 'file') return `Nobody knows whether this file exists. ${reason}`
  return `${change.kind === 'edit' ? 'Changes' : 'Replaces'} something that exists. ${reason}`
}

/** The text below it. */
export function restWords({ diffCut, added = 0, removed = 0 }: FileChange): string | null {
  if (!diffCut) return null
  return `The change is too long to be shown line by line: this is its beginning. All of it: ${counted(added, 'line')} added, ${counted(removed, 'line')} removed.`
}

const ofLines = ({ lines }: FileChange) => (lines === undefined ? '' : ` of ${counted(lines, 'line')}`)

const counted = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`
