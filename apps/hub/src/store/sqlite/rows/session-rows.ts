/** Sessions as they lie in the tables, and the way to the core's: what cannot be read is `STORAGE_DAMAGED`, never another value. */
import { CodedError, type ContextUsage, type SessionSettings, SessionStatus } from '@roundhouse/backend-types'
import type { NewSession, SessionRow } from '../../../core/ports/session-store'
import { isWhole } from './whole-rows'

type Texts = 'settings' | 'status' | 'contextUsage'
type Flags = 'archived' | 'blocked' | 'turnFailed'

/** 0 and 1 are booleans; some columns hold JSON. */
export type RawSession = Omit<SessionRow, Texts | Flags> &
  Record<Flags, number> & { settings: string; status: string; contextUsage: string | null }

/** Throws where it is not whole. */
export function toSession(raw: RawSession): SessionRow {
  return { pk: raw.pk, ...toNewSession(raw) }
}

/** Without what only this store knows of it. */
export function toNewSession(raw: RawSession): NewSession {
  if (!isWhole('session', raw)) throw new CodedError('STORAGE_DAMAGED')
  return {
    sessionId: raw.sessionId,
    agentId: raw.agentId,
    createdAt: raw.createdAt,
    createdBy: raw.createdBy,
    title: raw.title,
    archived: raw.archived === 1,
    logId: raw.logId,
    committed: raw.committed,
    malformed: raw.malformed,
    blocked: raw.blocked === 1,
    projection: raw.projection,
    backend: raw.backend,
    workDir: raw.workDir,
    turnFailed: raw.turnFailed === 1,
    lastLine: raw.lastLine,
    cost: raw.cost,
    updatedAt: raw.updatedAt,
    ...readSession(raw),
  }
}

export function readSession({ settings, status, contextUsage }: Pick<RawSession, Texts>): Pick<SessionRow, Texts> {
  return {
    settings: readObject<Partial<SessionSettings>>(settings),
    status: statusOf(status),
    contextUsage: contextUsage === null ? null : readObject<ContextUsage>(contextUsage),
  }
}

export function writeSession({ settings, status, contextUsage }: Pick<SessionRow, Texts>): Pick<RawSession, Texts> {
  return {
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

function readObject<T>(text: unknown): T {
  try {
    const value: unknown = JSON.parse(String(text))
    if (typeof value === 'object' && value !== null) return value as T
  } catch (error) {
    throw new CodedError('STORAGE_DAMAGED', undefined, undefined, error)
  }
  throw new CodedError('STORAGE_DAMAGED')
}
