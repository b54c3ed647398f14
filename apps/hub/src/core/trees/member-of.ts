/** What another session of a tree reads of a session. Pure. */
import type { SessionSummary } from '@roundhouse/backend-types'

type Shown = Pick<
  SessionSummary,
  | 'sessionId'
  | 'title'
  | 'status'
  | 'agentName'
  | 'head'
  | 'cost'
  | 'lastLine'
  | 'parentId'
  | 'turnFailed'
  | 'unreachableSince'
>

export function memberOf(session: Shown) {
  const { sessionId, title, status, agentName, head, cost, lastLine, parentId, turnFailed, unreachableSince } = session
  return {
    sessionId,
    title,
    status: status.status,
    ...('why' in status ? { why: status.why } : {}),
    ...(turnFailed ? { lastTurnFailed: true } : {}),
    machine: agentName,
    ...(unreachableSince === undefined ? {} : { unreachableSince }),
    ...(parentId === undefined ? {} : { parentId }),
    head,
    costUsd: cost,
    lastLine,
  }
}
