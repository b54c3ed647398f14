/** The projection as a session's row holds it. */
import { CodedError } from '@roundhouse/backend-types'
import { emptyProjection, type SessionProjection } from '@roundhouse/delivery'
import type { SessionRow } from '../ports/session-store'

/** Throws `STORAGE_DAMAGED` where it is not what was stored. */
export function projectionOf(row: Pick<SessionRow, 'projection'>): SessionProjection {
  if (row.projection === '') return emptyProjection()
  const projection = parsed(row.projection)
  const { seq, requests, openCalls, grants } = projection
  const isWhole = Number.isSafeInteger(seq) && isObject(requests) && isObject(openCalls) && Array.isArray(grants)
  if (!isWhole) throw new CodedError('STORAGE_DAMAGED')
  return projection
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

function parsed(text: string): SessionProjection {
  try {
    return Object(JSON.parse(text))
  } catch (error) {
    throw new CodedError('STORAGE_DAMAGED', undefined, undefined, error)
  }
}
