/** The columns of a session's row, from the projection of its events. */
import { isDeepStrictEqual } from 'node:util'
import type { CreateSessionRequest, OnPermission, SessionSettings, SessionStatus } from '@roundhouse/backend-types'
import { emptyProjection, type SessionProjection } from '@roundhouse/delivery'
import { machineLimits } from '../machines/machine-limits'
import type { NewSession, StreamChange } from '../ports/session-store'
import { statusByLog } from './run-end'
import { titleIn } from './session-title'

/** The list is ordered by this time. It moves in steps, so that a stream of events does not rewrite the index with each batch. */
const UPDATED_AT_STEP_MS = 10_000

const waiting: SessionStatus = { status: 'waiting_for_agent' }

export function newSessionRow(made: {
  sessionId: string
  agentId: string
  now: number
  createdBy?: string
  title?: string
  settings?: SessionSettings
  /** Of a run. */
  onPermission?: OnPermission | undefined
}): NewSession {
  const { sessionId, agentId, now, createdBy = null, title = '', settings, onPermission = null } = made
  return {
    sessionId,
    agentId,
    createdAt: now,
    createdBy,
    title,
    archived: false,
    onPermission,
    logId: null,
    committed: 0,
    malformed: 0,
    blocked: false,
    projection: emptyProjection(),
    settings: settings ?? {},
    backend: settings?.backend ?? '',
    workDir: settings?.workDir ?? '',
    status: waiting,
    turnFailed: false,
    lastLine: '',
    cost: 0,
    contextUsage: null,
    updatedAt: now,
  }
}

/** The name that the person chose, or the beginning of the prompt, or the folder. */
export function titleFor(request: CreateSessionRequest): string {
  const folder = request.settings.workDir
    .replace(/(?<![/\\])[/\\]+$/, '')
    .split(/[/\\]/)
    .at(-1)
  return request.title ?? (titleIn(request.prompt ?? '', 80) || folder || request.settings.workDir)
}

export function streamChange(
  row: NewSession,
  projection: SessionProjection,
  stream: { logId: string; committed: number; now: number },
): StreamChange {
  const settings = projection.settings ?? row.settings
  const status = statusByLog({ ...row, projection }, null)
  const old = stream.now - row.updatedAt >= UPDATED_AT_STEP_MS
  return {
    logId: stream.logId,
    committed: stream.committed,
    malformed: row.malformed,
    blocked: row.blocked,
    title:
      row.title || titleIn(projection.title ?? '', machineLimits.titleChars) || projection.lastLine || row.sessionId,
    projection,
    settings,
    backend: (settings.backend ?? row.backend).slice(0, machineLimits.wordChars),
    workDir: (projection.realWorkDir ?? settings.workDir ?? row.workDir).slice(0, machineLimits.pathChars),
    status,
    turnFailed: projection.turnFailed ?? false,
    lastLine: projection.lastLine,
    cost: projection.cost,
    contextUsage: projection.contextUsage,
    updatedAt: old || !isDeepStrictEqual(status, row.status) ? stream.now : row.updatedAt,
  }
}
