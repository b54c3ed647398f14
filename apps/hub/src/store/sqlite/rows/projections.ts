/** Reads the projection of a session's events from its row. Content that the hub cannot have written is `STORAGE_DAMAGED`. */
import { CodedError } from '@roundhouse/backend-types'
import { emptyProjection, type SessionProjection } from '@roundhouse/delivery'
import { readObject } from './json-objects'

/** Of a session without events. */
const EMPTY = ''
const emptyText = JSON.stringify(emptyProjection())

export function writeProjection(projection: SessionProjection): string {
  const text = JSON.stringify(projection)
  return text === emptyText ? EMPTY : text
}

interface Known {
  text: string
  projection: SessionProjection
}

/** Read with each batch, each view and each step of a person: of the sessions in use the newest text has been read before. */
const known = new Map<string, Known>()
const MOST_KNOWN = 200
/** UTF-16 units. */
const LONGEST_KNOWN = 65_536

export function readProjection(sessionId: string, text: string): SessionProjection {
  if (text === EMPTY) return emptyProjection()
  const found = known.get(sessionId)
  if (found?.text === text) return found.projection
  const projection = parsed(text)
  known.delete(sessionId)
  if (text.length > LONGEST_KNOWN) return projection
  known.set(sessionId, { text, projection })
  const [oldest] = known.keys()
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
  return projection
}

function parsed(text: string): SessionProjection {
  const projection = readObject<SessionProjection>(text)
  const { seq, requests, openCalls, grants } = projection
  const isWhole = Number.isSafeInteger(seq) && isObject(requests) && isObject(openCalls) && Array.isArray(grants)
  if (!isWhole) throw new CodedError('STORAGE_DAMAGED')
  return projection
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
