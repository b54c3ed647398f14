/**
 * A conversation as its backend recorded it, read once to close a process (RES-2, RES-6). The program must be gone, or
 * the record would not be complete. The whole read takes at most ten seconds.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type BackendAdapter, type BackendOutput, CodedError } from '@roundhouse/backend-types'
import type { ProcessIdentity } from '@roundhouse/owner'
import { isOwnIn, recordIn } from '../../host-contract/host-door'
import { untilGone } from '../../processes/end-processes'
import type { ReadMarks } from '../../processes/mark-reader'
import { findSessionProcesses } from '../../processes/session-processes'
import { fitOutput } from '../program/fit-reports'
import { withShownTool } from '../program/shown-tool'
import type { StoredSettings } from '../settings/settings'

const LIMIT_MS = 10_000

/** `null`: the backend keeps no record, or none of this conversation. Rejects if the record could not be read. */
export type ReadTranscript = (settings: StoredSettings, backendSessionId: string) => Promise<BackendOutput[] | null>

/**
 * `adapterFor` returns an adapter that looks where the session's programs wrote. `isOver` resolves when none of them
 * writes any more.
 */
export function transcriptReader(
  adapterFor: (settings: StoredSettings) => Promise<BackendAdapter>,
  isOver: () => Promise<void> = async () => {},
): ReadTranscript {
  const read = async (settings: StoredSettings, backendSessionId: string) => {
    const adapter = await adapterFor(settings)
    if (!adapter.readSession) return null
    await isOver()
    const outputs = await adapter.readSession(backendSessionId).catch((error: unknown) => {
      if (error instanceof CodedError && error.code === 'RESUME_UNAVAILABLE') return null
      throw error
    })
    return outputs?.map((output) => withShownTool(fitOutput(output), adapter)) ?? null
  }
  return (settings, backendSessionId) => inTime(read(settings, backendSessionId))
}

/** `null`: the backend keeps no record of this conversation, or keeps it in no file. */
export type FindTranscript = (settings: StoredSettings, backendSessionId: string) => Promise<string | null>

export function transcriptFinder(adapterFor: (settings: StoredSettings) => Promise<BackendAdapter>): FindTranscript {
  const find = async (settings: StoredSettings, backendSessionId: string) => {
    const adapter = await adapterFor(settings)
    return (await adapter.transcriptFile?.(backendSessionId)) ?? null
  }
  return (settings, backendSessionId) => inTime(find(settings, backendSessionId))
}

/**
 * Waits until the last host's programs are ended. Nothing of this session has started again yet. A process that may be
 * one of them and does not show its owner counts as one. If the last host said goodbye, it had ended them itself.
 */
export async function untilAlone(readMarks: ReadMarks, sessionId: string, sessionDir: string): Promise<void> {
  const record = recordIn(sessionDir)
  const host: ProcessIdentity | null = record && { pid: record.pid, start: record.start, bootId: record.bootId }
  const scope = { isOwn: isOwnIn(sessionDir) }
  for (const end = performance.now() + LIMIT_MS; ; ) {
    const { found, unread } = await findSessionProcesses(readMarks, sessionId, [], scope, host)
    const left = host === null ? found : [...found, ...unread]
    if (left.length === 0) return
    await untilGone(left, end - performance.now())
    if (performance.now() > end) throw new CodedError('ALREADY_RUNNING', 'Programs of the last host still run.')
  }
}

export async function inTime<T>(work: Promise<T>, limitMs: number = LIMIT_MS): Promise<T> {
  const limit = new AbortController()
  const late = delay(limitMs, undefined, { signal: limit.signal }).then(
    () => Promise.reject(new CodedError('BACKEND_TIMEOUT', 'The program took too long to read its transcript.')),
    () => new Promise<never>(() => {}),
  )
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    limit.abort()
  }
}
