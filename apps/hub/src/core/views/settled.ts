/** Whether a session has nothing more to do. Pure. */
import type { SessionView } from '@roundhouse/backend-types'
import { isUnderWay } from './under-way'

const busy: ReadonlySet<string> = new Set(['waiting_for_agent', 'starting', 'running', 'needs_you', 'paused'])
const prompts: ReadonlySet<string> = new Set(['session.create', 'prompt.send'])

/** No turn, and no prompt that waits for one. A queue that is held begins no turn. */
export function isSettled({ status, queue, queueHeld, commands }: SessionView): boolean {
  if (status.status === 'ended') return true
  if (busy.has(status.status) || (status.status === 'resumable' && status.resumes)) return false
  const isHeld = queueHeld || status.status === 'resumable'
  const waiting = commands.some((command) => prompts.has(command.kind) && isUnderWay(command))
  return isHeld || (queue.length === 0 && !waiting)
}
