/**
 * A session whose row in the hub's file is damaged: it shows the readable parts, as ended, with the reason. Its
 * transcript may be intact. The hub accepts nothing more for it, neither from people nor from its machine.
 */
import { errorTable, OnPermission, SessionSettings, type SessionStatus } from '@roundhouse/backend-types'
import { emptyProjection } from '@roundhouse/delivery'
import type { SessionRow } from '../ports/session-store'

const DAMAGED_MESSAGE = errorTable.STORAGE_DAMAGED.title

const status: SessionStatus = {
  status: 'ended',
  why: 'failed',
  error: { code: 'STORAGE_DAMAGED', message: DAMAGED_MESSAGE },
}

export function asDamaged(row: Partial<Record<keyof SessionRow, unknown>>): SessionRow {
  const { sessionId, settings } = row
  return {
    sessionId: textOf(sessionId),
    agentId: textOf(row.agentId),
    createdAt: numberOf(row.createdAt),
    createdBy: textOf(row.createdBy) || null,
    title: textOf(row.title) || `Damaged session ${textOf(sessionId)}`,
    archived: row.archived === true,
    onPermission: OnPermission.safeParse(row.onPermission).data ?? null,
    logId: null,
    committed: numberOf(row.committed),
    malformed: 0,
    blocked: false,
    projection: emptyProjection(),
    settings: SessionSettings.safeParse(settings).success ? (settings as SessionSettings) : {},
    backend: textOf(row.backend),
    workDir: textOf(row.workDir),
    status,
    turnFailed: false,
    lastLine: '',
    cost: 0,
    contextUsage: null,
    updatedAt: numberOf(row.updatedAt),
    damaged: true,
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberOf = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0)

/** True if the session itself is damaged, not only a request or a command of it. */
export const isEndedByDamage = ({ status }: { status: SessionStatus }): boolean =>
  status.status === 'ended' && status.error?.code === 'STORAGE_DAMAGED'
