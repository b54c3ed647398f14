/**
 * Refuses commands by the log alone while no host of the session runs, with the same errors as a host. Nothing is recorded:
 * a repeat gets the same refusal. If the log is not certain, a host decides.
 */
import { existsSync } from 'node:fs'
import { CodedError, type Command, commandsAfterTheEnd, type HostState } from '@roundhouse/backend-types'
import { isLost } from '../../log/lost-log'
import type { Supervisor } from '../hosts/supervisor'
import type { SessionIndex } from '../logs/session-index'
import type { SessionLogs } from '../logs/session-logs'

export interface RestingLog {
  state: HostState | null
  /** Null if the request was never made here, or too long ago. */
  outcomeOf(requestId: string): string | null
}

/** Null: the session's host decides. */
export function refusedAtRest({ body }: Command, { state, outcomeOf }: RestingLog): CodedError | null {
  if (!state || body.kind === 'session.create') return null
  const isOver = state.status.status === 'ended'
  if (isOver && !commandsAfterTheEnd.has(body.kind)) return new CodedError('SESSION_ENDED')
  switch (body.kind) {
    case 'permission.decide':
      return refusalOf(outcomeOf(body.requestId))
    case 'turn.interrupt':
      return new CodedError('ALREADY_ENDED')
    case 'task.stop':
      return new CodedError('ALREADY_ENDED', 'It does not run in the background any more.')
    case 'tool.answer':
      return new CodedError('NOT_RUNNING', 'The program that asked is gone.')
    case 'files.rewind':
      return new CodedError('NOT_RUNNING')
    default:
      return null
  }
}

function refusalOf(outcome: string | null): CodedError | null {
  // Its host died before it closed the request.
  if (outcome === 'open' || outcome === 'applying') return null
  return new CodedError(outcome === 'applied' ? 'PERMISSION_ALREADY_DECIDED' : 'REQUEST_GONE')
}

type Hosts = Pick<Supervisor, 'known' | 'files' | 'isAdopting'>

type Logs = Pick<SessionLogs, 'ask' | 'forget'>

export function refusalAtRest(
  hosts: Hosts,
  index: Pick<SessionIndex, 'get'>,
  logs: Logs,
  command: Command,
): CodedError | null {
  const { sessionId } = command
  const hosted = hosts.known(sessionId)
  if (hosted && (hosted.attached || hosted.starting || hosted.stuck)) return null
  // A host that said goodbye leaves no record of itself.
  if (hosts.isAdopting(sessionId) || existsSync(hosts.files(sessionId).host)) return null
  const row = index.get(sessionId)
  // The open file may be older than the present one, which may be a restored copy. The next host handles that.
  logs.forget(sessionId)
  return logs.ask(sessionId, (log) => {
    if (!row || isLost(row, log.found())) return null
    return refusedAtRest(command, { state: log.lastState(), outcomeOf: (requestId) => log.outcomeOf(requestId) })
  })
}
