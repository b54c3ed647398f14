/**
 * Adds the requests of a session's program and their outcomes to the machine's own record, once they are in the
 * session's log.
 */
import type { SessionEvent } from '@roundhouse/backend-types'
import { appendVerb, type VerbEntry } from '../../files/verbs-log'
import type { LaunchSpec } from '../../host-contract/launch-spec'

type Where = Pick<LaunchSpec, 'verbsLog' | 'sessionId'>

export function asksLog({ verbsLog: file, sessionId }: Where, now: () => number) {
  return (events: readonly SessionEvent[]): void => {
    if (file === undefined) return
    for (const event of events) {
      const said = entryOf(event)
      if (said) appendVerb(file, { at: new Date(now()).toISOString(), sessionId, ...said })
    }
  }
}

const standing = {
  grant: 'an active permission',
  session: 'a rule of the session',
  folder: 'a rule of the folder',
} as const

function entryOf(event: SessionEvent): Omit<VerbEntry, 'at' | 'sessionId'> | null {
  switch (event.kind) {
    case 'permission_requested':
      return {
        verb: 'permission.asked',
        requestId: event.ask.requestId,
        tool: event.ask.toolName,
        verdict: 'waits',
      }
    case 'permission_resolved': {
      const { requestId, outcome, decision, by, rule, refusedBy, commandId } = event
      return {
        verb: 'permission.resolved',
        requestId,
        verdict: outcome,
        ...(commandId === undefined ? {} : { commandId }),
        ...(decision === undefined ? {} : { decision }),
        ...(by === undefined
          ? {}
          : 'grantId' in by
            ? { author: standing[by.rule ?? 'grant'] }
            : { userId: by.userId, author: by.name }),
        ...(refusedBy === undefined ? {} : { code: refusedBy.toUpperCase() }),
        ...(rule === undefined ? {} : { rule }),
        ...(event.folderRule ? { leftRule: event.folderRule.ruleId } : {}),
      }
    }
    default:
      return null
  }
}
