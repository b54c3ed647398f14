/** Sessions as they lie in the tables, and the way to the core's: what cannot be read is `STORAGE_DAMAGED`, never another value. */
import { CodedError, type ContextUsage, type SessionSettings, SessionStatus } from '@roundhouse/backend-types'
import type { NewSession, SessionRow } from '../../../core/ports/session-store'
import { readJson, readObject } from './json-objects'
import { readProjection, writeProjection } from './projections'
import { readable } from './row-by-row'
import { isWhole } from './whole-rows'

type Texts = 'projection' | 'settings' | 'status' | 'contextUsage'
type Flags = 'archived' | 'blocked' | 'turnFailed'

/** 0 and 1 are booleans; some columns hold JSON. */
export type RawSession = Omit<SessionRow, Texts | Flags> &
  Record<Flags, number> & {
    pk: number
    projection: string
    settings: string
    status: string
    contextUsage: string | null
  }

/** Throws where it is not whole. */
export function toSession(raw: RawSession): NewSession {
  if (!isWhole('session', raw)) throw new CodedError('STORAGE_DAMAGED')
  return {
    sessionId: raw.sessionId,
    agentId: raw.agentId,
    createdAt: raw.createdAt,
    createdBy: raw.createdBy,
    title: raw.title,
    archived: raw.archived === 1,
    onPermission: raw.onPermission,
    logId: raw.logId,
    committed: raw.committed,
    malformed: raw.malformed,
    blocked: raw.blocked === 1,
    backend: raw.backend,
    workDir: raw.workDir,
    turnFailed: raw.turnFailed === 1,
    lastLine: raw.lastLine,
    cost: raw.cost,
    updatedAt: raw.updatedAt,
    ...readSession(raw),
  }
}

export function readSession(raw: Pick<RawSession, Texts | 'sessionId'>): Pick<SessionRow, Texts> {
  const { sessionId, projection, settings, status, contextUsage } = raw
  return {
    projection: readProjection(sessionId, projection),
    settings: readObject<Partial<SessionSettings>>(settings),
    status: statusOf(status),
    contextUsage: contextUsage === null ? null : readObject<ContextUsage>(contextUsage),
  }
}

export function writeSession(row: Pick<SessionRow, Texts>): Pick<RawSession, Texts> {
  const { projection, settings, status, contextUsage } = row
  return {
    projection: writeProjection(projection),
    settings: JSON.stringify(settings),
    status: JSON.stringify(status),
    contextUsage: contextUsage && JSON.stringify(contextUsage),
  }
}

/** One of few texts, read with every batch: those that are whole are remembered. */
const statuses = new Map<string, SessionStatus>()
const MOST_STATUSES = 100

function statusOf(text: string): SessionStatus {
  const known = statuses.get(text)
  if (known) return known
  const status = readObject<SessionStatus>(text)
  if (!SessionStatus.safeParse(status).success) throw new CodedError('STORAGE_DAMAGED')
  if (statuses.size < MOST_STATUSES) statuses.set(text, status)
  return status
}

/** What can be read of a damaged row, for `asDamaged`. */
export const readParts = (
  raw: Partial<Record<keyof RawSession, unknown>>,
): Partial<Record<keyof SessionRow, unknown>> => ({
  ...raw,
  archived: raw.archived === 1 || raw.archived === true,
  settings: readable(() => readJson(raw.settings)),
})
