/** Why a run failed, from how its last turn and its program ended: what lists know of it without its log. Pure. */
import type { CodedReason, ResumableReason, SessionEventOf } from '@roundhouse/backend-types'
import { exits, lostEvents, type Trouble, turnSubtype, unknownOutcome } from './troubles'

/** Null in place of either: none has ended. */
interface Ends {
  turn: Pick<SessionEventOf<'turn_completed'>, 'reason' | 'error'> | null
  exit: { why: ResumableReason; error: CodedReason | null } | null
  /** Part of what came before is lost. */
  isTorn?: boolean | undefined
}

const exitOf: Partial<Record<ResumableReason, Trouble>> = {
  process_exited: exits.crashed,
  ended_by_person: exits.killed,
  host_died: exits.host_died,
  start_failed: exits.start_failed,
}

const limits: Readonly<Record<string, string>> = {
  error_max_turns: 'The program reached its limit of turns.',
  error_max_budget: 'The program reached its budget.',
  error_during_execution: 'The program reported an error.',
}

/** By the codes of RUN-3.4. Null: it did what it was asked, or was stopped. */
export function failureOf({ turn, exit, isTorn = false }: Ends): Trouble | null {
  const exited = exit ? (exit.error ?? exitOf[exit.why]) : undefined
  const lost = isTorn ? lostEvents : undefined
  const withoutTurn = exited?.code === exits.killed.code ? (lost ?? exited) : (exited ?? lost)
  const code = turn ? turnSubtype(turn, { exit: exited?.code ?? null, isTorn }) : withoutTurn?.code
  if (code === undefined || code === 'interrupted' || code === 'stopped') return null
  const told = [turn?.error, exited, unknownOutcome, lostEvents].find((one) => one?.code === code)
  return { code, message: told?.message ?? limits[code] ?? '' }
}
