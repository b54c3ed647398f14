/**
 * A command's life at the hub, as a table (CMD-2..4):
 *
 *   pending -> sent -> accepted -> done | refused | outcome_unknown | cancelled (taken out of the queue)
 *      |         \-> cancelled | refused | done | outcome_unknown               (the agent's own word)
 *      \-> expired | cancelled                                                  (never left the hub)
 *
 * Once sent, only the agent's answer moves a command: it may have been recorded there although nobody here heard of it.
 * Moves that make no sense keep the state.
 */
import {
  type CommandAnswer,
  type CommandKind,
  type CommandState,
  commandsToldByEvents,
} from '@roundhouse/backend-types'

export type CommandInput =
  | 'sent'
  /** Its time is over. A sent command keeps its state; the hub sends `command.cancel` and waits for the answer. */
  | 'expire'
  | 'cancel'
  /** The session's log was rebased: what the agent knew of its commands may be lost (REB-1). */
  | 'rebased'
  /** The hub was restored: what looks unsent may have been sent, and what was accepted may be over. Ask again (REB-2). */
  | 'restored'
  | { answer: CommandAnswer['state'] }

type Answer = CommandAnswer['state']
type Column = Exclude<CommandInput, object> | Answer
type Row = Record<Column, CommandState>

const stays = (state: CommandState): Row => ({
  sent: state,
  expire: state,
  cancel: state,
  rebased: state,
  restored: state,
  accepted: state,
  refused: state,
  cancelled: state,
  done: state,
  outcome_unknown: state,
})

const answered = {
  accepted: 'accepted',
  refused: 'refused',
  cancelled: 'cancelled',
  done: 'done',
  outcome_unknown: 'outcome_unknown',
} as const satisfies Record<Answer, CommandState>

const commandTable: Readonly<Record<CommandState, Row>> = {
  pending: { ...stays('pending'), ...answered, sent: 'sent', expire: 'expired', cancel: 'cancelled', restored: 'sent' },
  sent: { ...stays('sent'), ...answered, rebased: 'outcome_unknown' },
  accepted: { ...stays('accepted'), ...answered, rebased: 'outcome_unknown', restored: 'sent' },
  done: stays('done'),
  refused: stays('refused'),
  // A backup may say `expired` or `cancelled` of a command whose effect the log shows afterwards: the log is the truth.
  expired: { ...stays('expired'), done: 'done' },
  cancelled: { ...stays('cancelled'), done: 'done' },
  // `cancelled` of one that a rebase overtook only says that it never will run: the log that was lost may have had it.
  outcome_unknown: { ...stays('outcome_unknown'), done: 'done', refused: 'refused' },
}

export function commandStep(state: CommandState, input: CommandInput): CommandState {
  return commandTable[state][typeof input === 'object' ? input.answer : input]
}

/**
 * Whether the agent's word beside its log moves a command (CMD-2). What events tell is `done` when they are stored: said
 * earlier, it would stay `done` where the log is lost before anybody has them (REB-1).
 */
export function newsCounts(kind: CommandKind, news: Answer): boolean {
  return news !== 'done' || !commandsToldByEvents.has(kind)
}

export interface CommandRow {
  readonly commandId: string
  readonly state: CommandState
  readonly kind: string
  readonly cmdSeq?: number | undefined
}

/**
 * Which commands of one session to send now, and again after each reconnect. `rows`: in the order in which they were made.
 * Of the ordered ones only the first that no agent has answered (CMD-2): the order then holds however the network treats
 * the frames, and a command that expired before it was sent leaves a hole that stops nobody. None is sent that was made
 * behind a `process.end` without an answer: it would begin a turn, and that end would take the turn with it (CMD-5). What is
 * outside the order waits for an answer to `session.create`: a machine that did not know the session yet would refuse it.
 */
export function commandsToSend<Row extends CommandRow>(rows: readonly Row[]): Row[] {
  const open = rows.filter((row) => row.state === 'pending' || row.state === 'sent')
  const end = open.findIndex(({ kind }) => kind === 'process.end')
  const isBehindEnd = (row: Row) => end >= 0 && open.indexOf(row) > end
  const ordered = open.filter((row) => row.cmdSeq !== undefined).sort((a, b) => (a.cmdSeq ?? 0) - (b.cmdSeq ?? 0))
  const first = ordered.slice(0, 1).filter((row) => !isBehindEnd(row))
  const begins = open.some(({ kind }) => kind === 'session.create')
  const unordered = open.filter(({ cmdSeq, kind }) => cmdSeq === undefined && (!begins || kind === 'session.delete'))
  return [...unordered, ...first]
}
