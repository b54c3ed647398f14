/** Looks up what was loaded. */
import { CodedError } from '@roundhouse/backend-types'
import type { Looked } from '../ports/stream/stream-writer'

/** Throws `STORAGE_DAMAGED` if the stored row cannot be read. */
export function rowOf<T>(looked: Looked<T> | undefined, what: string): T | undefined {
  if (looked === undefined) throw notLoaded(what)
  if (looked.damaged) throw new CodedError('STORAGE_DAMAGED')
  return looked.row
}

/** Must not be mistaken for "does not exist": the caller decided on a key that it did not load. */
export const notLoaded = (what: string): CodedError =>
  new CodedError('INTERNAL', undefined, undefined, new Error(`not loaded: ${what}`))
