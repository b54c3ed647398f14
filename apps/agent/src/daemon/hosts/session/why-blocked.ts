/** Explains to people why a session that another process holds cannot start. Pure. */
import { CodedError } from '@roundhouse/backend-types'
import type { ProcessIdentity } from '@roundhouse/owner'
import type { HostClass } from '../../../processes/classify'

export type Blocking = Extract<HostClass, { class: 'stuck' | 'orphan' | 'unread' | 'elsewhere' }>

export const whyBlocked = (sessionId: string, found: Blocking): CodedError =>
  new CodedError('ALREADY_RUNNING', sentence(sessionId, found))

const numbers = (processes: readonly ProcessIdentity[]): string => processes.map(({ pid }) => pid).join(', ')

function sentence(sessionId: string, found: Blocking): string {
  switch (found.class) {
    case 'stuck':
      return found.movedFrom === undefined
        ? `The host of ${sessionId} holds its session and does not answer.`
        : `The host of ${sessionId} was started in ${found.movedFrom}. That folder has been moved, so the host cannot be reached. Stop its program to continue.`
    case 'orphan':
      return `Processes of ${sessionId} run without a host: ${numbers(found.processes)}.`
    case 'unread':
      return `The agent cannot read the environment of process ${numbers(found.unread)}, so it does not know whether the process belongs to ${sessionId}. The session can start when the environment is readable or the process has ended.`
    case 'elsewhere':
      return `${sessionId} runs in ${found.dir} (process ${found.pid}). This folder is a copy of it, so the agent leaves it alone.`
  }
}
