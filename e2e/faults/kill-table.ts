/**
 * The kill matrix as a table: who dies x when, and what must hold afterwards. It is the same for every backend; each state
 * exists on each of them. `kill-cell.ts` brings a session there, `kill-matrix.suite.ts` runs the table on one backend.
 */
import type { SessionEventOf } from '@roundhouse/backend-types'

export const victims = ['tab', 'hub', 'daemon', 'host', 'program'] as const
export type Victim = (typeof victims)[number]

export const moments = [
  'idle',
  'streaming',
  'a tool runs',
  'a prompt is pending',
  'a decision is on its way',
  'the queue waits',
] as const
export type Moment = (typeof moments)[number]

type End = SessionEventOf<'turn_completed'>['reason']
type Outcome = SessionEventOf<'permission_resolved'>['outcome']

/** What a cell leaves behind. */
export interface Account {
  /** How the turns ended that were open or waiting. */
  ends: End[]
  /** What became of the question of that turn. */
  outcomes: Outcome[]
  /** The text that streams: all of it, a true beginning of it that is told as cut short, nothing. */
  streamed: 'whole' | 'cut' | 'none'
  /** What the call did, seen by the file that it writes at its end. */
  tool: 'finished' | 'not'
  /** The program of before goes on; otherwise it and all that it had started are gone. */
  program: 'the same' | 'gone'
}

const account = (more: Partial<Account>): Account => ({
  ends: [],
  outcomes: [],
  streamed: 'none',
  tool: 'not',
  program: 'the same',
  ...more,
})
const gone = (more: Partial<Account>) => account({ program: 'gone', ...more })

/** Whoever only watches or carries may die unnoticed; with the host or the program the turn ends. */
const row = (lives: Account, ...dies: Account[]): Record<Victim, Account[]> => ({
  tab: [lives],
  hub: [lives],
  daemon: [lives],
  host: dies,
  program: dies,
})

const done = { ends: ['completed'], tool: 'finished' } satisfies Partial<Account>
const cut = { ends: ['process_exited'] } satisfies Partial<Account>

/** For each cell all that may be; more than one only where a decision may come through before the death behind it. */
export function holds(moment: Moment, victim: Victim, asksForTool: boolean): Account[] {
  const asked: Outcome[] = asksForTool ? ['applied'] : []
  const table: Record<Moment, Record<Victim, Account[]>> = {
    idle: row(account({}), gone({})),
    streaming: row(account({ ends: ['completed'], streamed: 'whole' }), gone({ ...cut, streamed: 'cut' })),
    'a tool runs': row(account({ ...done, outcomes: asked }), gone({ ...cut, outcomes: asked })),
    'a prompt is pending': row(account({ ...done, outcomes: ['applied'] }), gone({ ...cut, outcomes: ['orphaned'] })),
    'a decision is on its way': row(
      account({ ...done, outcomes: ['applied'] }),
      gone({ ...cut, outcomes: ['orphaned'] }),
      gone({ ...cut, outcomes: ['outcome_unknown'] }),
      gone({ ...cut, outcomes: ['outcome_unknown'], tool: 'finished' }),
      gone({ ...cut, outcomes: ['applied'] }),
      gone({ ...cut, outcomes: ['applied'], tool: 'finished' }),
      gone({ ...done, outcomes: ['applied'] }),
    ),
    'the queue waits': row(
      account({ ends: ['completed', 'completed'], streamed: 'whole' }),
      gone({ ends: ['process_exited', 'completed'], streamed: 'cut' }),
    ),
  }
  return table[moment][victim]
}
