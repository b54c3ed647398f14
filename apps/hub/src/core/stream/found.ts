/** A look-up in what was loaded. */
import { CodedError } from '@roundhouse/backend-types'
import type { Looked } from '../ports/stream-writer'

/** Throws `STORAGE_DAMAGED` where it cannot be read as it was stored. */
export function rowOf<T>(looked: Looked<T> | undefined, what: string): T | undefined {
  if (looked === undefined) throw notLoaded(what)
  if (looked.damaged) throw new CodedError('STORAGE_DAMAGED')
  return looked.row
}

/** Never taken for "not there": a decision on what nobody loaded is a mistake of whoever named the keys. */
export const notLoaded = (what: string): CodedError =>
  new CodedError('INTERNAL', undefined, undefined, new Error(`not loaded: ${what}`))
