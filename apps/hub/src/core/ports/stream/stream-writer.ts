/**
 * Writes the stream of events (STORE-2): loads by keys what a decision needs, decides with a pure function, and writes
 * its changes, all in one transaction. Keys, loaded data and changes are plain values, so the database may be anywhere.
 */
import type { SessionEventKind } from '@roundhouse/backend-types'
import type { Standing, StandingOf } from '../../access/standing'
import type { CommandMark, GivenCommand } from '../command-store'
import type { MachineFence, MachineRow } from '../machine-store'
import type { OpenRequests, StreamRequest } from '../request-store'
import type { NewSession } from '../session-store'
import type { Change } from './stream-change'

export interface StreamWriter {
  /**
   * Resolves after the commit. Changes of the same moment share a transaction: each sees the earlier ones, and a change
   * that throws leaves nothing and does not affect the others.
   *
   * `decide` may run more than once for one change, because a failed group is retried one by one. Its effects on the
   * memory of the process (a budget, a limit, what a connection was told) must allow for that. `weight`: how many
   * events it may store.
   */
  change<T>(keys: LoadKeys, decide: (loaded: Loaded) => Decided<T> | More, weight?: number): Promise<T>
}

export interface Decided<T> {
  change: Change
  answer: T
}

/** The loaded data shows that more is needed. Returned before anything else is changed. */
export interface More {
  more: LoadKeys
}

/** What a decision may look up. Anything else is not loaded. */
export interface LoadKeys {
  /** Machines, only for their fences. */
  fences?: readonly string[]
  machines?: readonly string[]
  /** `madeBy`: the machine whose sessions are counted if the session does not exist. */
  sessions?: ReadonlyArray<{ sessionId: string; madeBy?: string }>
  /** Hashes of those numbers that the session has stored. */
  hashes?: ReadonlyArray<{ sessionId: string; seqs: readonly number[] }>
  commands?: readonly string[]
  /** Commands, each with the event of this kind that it proves already. */
  given?: ReadonlyArray<{ commandId: string; kind: SessionEventKind }>
  promptEdits?: ReadonlyArray<{ sessionId: string; promptId: string }>
  /** Sessions whose sent and accepted commands are needed. */
  unsettled?: readonly string[]
  requests?: readonly string[]
  openRequests?: ReadonlyArray<{ agentId: string; sessionId: string }>
  headsGiven?: boolean
  standings?: readonly StandingOf[]
}

/** `row` is undefined if there is none. An unreadable row is an error only when it is looked up. */
export interface Looked<T> {
  readonly row: T | undefined
  readonly damaged?: true
}

export interface LookedSession extends Looked<NewSession> {
  readonly isDeleted?: boolean
  /** How many sessions the machine has that would create it. */
  readonly madeBefore?: number
}

export type LookedUp<T> = ReadonlyMap<string, Looked<T>>

/** Has an entry for each given key. */
export interface Loaded {
  fences: LookedUp<MachineFence>
  machines: LookedUp<MachineRow>
  sessions: ReadonlyMap<string, LookedSession>
  hashes: ReadonlyMap<string, ReadonlyMap<number, Looked<string>>>
  commands: LookedUp<CommandMark>
  /** By `deedKey`. */
  given: LookedUp<GivenCommand>
  /** By `editsKey`. */
  promptEdits: LookedUp<readonly GivenCommand[]>
  unsettled: LookedUp<readonly CommandMark[]>
  requests: LookedUp<StreamRequest>
  /** By session. */
  openRequests: ReadonlyMap<string, { ofMachine: OpenRequests; ofSession: OpenRequests }>
  headsGiven: number | null
  /** By `standingKey`. */
  standings: LookedUp<Standing>
}

export const deedKey = (commandId: string, kind: string): string => `${kind} ${commandId}`
export const editsKey = (sessionId: string, promptId: string): string => `${sessionId} ${promptId}`
export const standingKey = ({ kind, id }: StandingOf): string => `${kind} ${id}`
