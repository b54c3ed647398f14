/**
 * Permission requests as they lie in the tables, and the way to the core's. A question that cannot be read is null, and its request
 * is there all the same: it can be closed.
 */
import { PermissionAsk } from '@roundhouse/backend-types'
import type { RequestRow, StreamRequest } from '../../../core/ports/request-store'
import { readObject } from './json-objects'
import { readable } from './row-by-row'
import { isWhole } from './whole-rows'

/** `ask` is JSON of the `PermissionAsk`. */
interface Stored {
  sessionPk: number
  ask: string
}

export type RawRequest = Omit<RequestRow, keyof Stored> & Stored
export type RawStreamRequest = Omit<StreamRequest, keyof Stored> & Stored

export function toRequest<T extends Stored>(raw: T): Omit<T, keyof Stored> & Pick<RequestRow, 'ask'> {
  const { sessionPk: _, ask, ...row } = raw
  return { ...row, ask: readAsk(ask).ask }
}

export const isWholeRequest = (raw: RawRequest): boolean => isWhole('request', raw) && isWholeAsk(readAsk(raw.ask))

/** For pages, which also show that there is a damaged request. */
export const markedRequest = (raw: RawRequest): RequestRow => {
  const row = toRequest(raw)
  return isWholeRequest(raw) ? row : { ...row, damaged: true }
}

/** What is written is read next, when the request is shown or closed. */
export function writeAsk(ask: PermissionAsk): string {
  const text = JSON.stringify(ask)
  if (!known.has(text)) keep(text, { ask })
  return text
}

interface ReadAsk {
  ask: PermissionAsk | null
  /** Found out when a page shows it. */
  isWhole?: boolean
}

/** A question is read with each view of its session and each account of its host, and hardly ever changes. */
const known = new Map<string, ReadAsk>()
const MOST_KNOWN = 200
/** UTF-16 units. */
const LONGEST_KNOWN = 65_536

function readAsk(text: unknown): ReadAsk {
  if (typeof text !== 'string') return { ask: null }
  return known.get(text) ?? keep(text, { ask: parseAsk(text) })
}

function keep(text: string, read: ReadAsk): ReadAsk {
  if (text.length > LONGEST_KNOWN) return read
  const [oldest] = known.keys()
  if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest)
  known.set(text, read)
  return read
}

function isWholeAsk(read: ReadAsk): boolean {
  read.isWhole ??= PermissionAsk.safeParse(read.ask).success
  return read.isWhole
}

function parseAsk(text: string): PermissionAsk | null {
  return readable(() => readObject<PermissionAsk>(text)) ?? null
}
