/**
 * What is made from all transcripts, beside the log (search, usage): each part follows the log, may keep a table of its own, and
 * may answer people. Another one is its own file and a line in each part of this table.
 */
import { CarriedOutDecisions } from '../audit/carried-out-decisions'
import type { Log } from '../common/log'
import type { Follower } from '../followers/follower'
import type { Reads } from '../ports/stores'
import type { DerivedAnswers } from './route-answers'

/**
 * The table of each, as its own file declares it; a store fills it. Writes take the transaction that moves the cursor of its
 * follower. Nothing keeps a table yet.
 */
export type DerivedTables = Readonly<Record<never, never>>

interface DerivedDeps {
  tables: DerivedTables
  reads: Pick<Reads, 'audit'>
  now: () => number
  log: Pick<Log, 'error'>
}

export interface Derived {
  followers: readonly Follower[]
  answers: DerivedAnswers
}

export function createDerived({ reads, now, log }: DerivedDeps): Derived {
  return {
    followers: [new CarriedOutDecisions(reads.audit, now, log)],
    answers: {},
  }
}
