/**
 * What the agent does with a command that arrives, arrives again, is called back, or is found after a crash (CMD-2..4).
 * The inbox row is on disk before the answer leaves, and rows are kept as long as the session: an id never runs twice.
 * The order of the ordered commands is the hub's business (see `commandsToSend`).
 *
 *   (none) ─ command ─► accepted ─► started ─► done | refused | outcome_unknown
 *      └──── cancel ──► cancelled ◄┘ (taken out of the queue)
 */
import type { CommandAnswer, ErrorBody } from '@roundhouse/backend-types'

export type InboxState = 'accepted' | 'started' | 'done' | 'refused' | 'outcome_unknown' | 'cancelled'

export interface InboxRow {
  readonly commandId: string
  readonly state: InboxState
  /** For `refused`. */
  readonly error?: ErrorBody | undefined
}

/** `record`: put a row `accepted` (or `refused`, where the machine's policy forbids it) on disk, then answer with it. */
export type Received = { kind: 'record' } | { kind: 'repeat'; answer: CommandAnswer }

export function receiveCommand(row: InboxRow | undefined): Received {
  return row ? { kind: 'repeat', answer: answerOf(row) } : { kind: 'record' }
}

/** `record`: put a row `cancelled` on disk, so that a command which is still on its way finds it, then answer. */
export function receiveCancel(row: InboxRow | undefined): Received {
  return receiveCommand(row)
}

export function answerOf(row: InboxRow): CommandAnswer {
  switch (row.state) {
    case 'accepted':
    case 'started':
      return { state: 'accepted' }
    case 'refused':
      return {
        state: 'refused',
        error: row.error ?? { code: 'INTERNAL', message: 'It was refused.', retryable: false },
      }
    case 'done':
    case 'outcome_unknown':
    case 'cancelled':
      return { state: row.state }
  }
}

/** Before anything is done for a command its row is `started` on disk; only the one who put it there may act on it. */
export function startCommand(row: InboxRow): InboxRow | null {
  return row.state === 'accepted' ? { ...row, state: 'started' } : null
}

/**
 * What the next lease holder does with a row that it finds (CMD-3). `logLost`: the file was put back to an older state,
 * so that a command which looks untouched may have run in the time that is gone (REB-1).
 */
export function recoverCommand(row: InboxRow, logLost: boolean): 'run' | 'close_as_unknown' | 'leave' {
  if (row.state === 'accepted') return logLost ? 'close_as_unknown' : 'run'
  return row.state === 'started' ? 'close_as_unknown' : 'leave'
}
