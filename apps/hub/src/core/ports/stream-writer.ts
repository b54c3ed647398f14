/**
 * How the stream of events is written (STORE-2): what a decision needs is loaded by keys, the decision is a pure function of
 * it, and what it changes is written, all of them in one transaction. Keys, what is loaded and the change are plain data, so
 * that the database may be anywhere.
 */
import type { SessionEventKind } from '@roundhouse/backend-types'
import type { Standing, StandingOf } from '../access/standing'
import type { CommandMark, GivenCommand } from './command-store'
import type { MachineFence, MachineRow } from './machine-store'
import type { OpenRequests, StreamRequest } from './request-store'
import type { NewSession } from './session-store'
import type { Change } from './stream-change'

export interface StreamWriter {
  /**
   * Resolves after the commit. Changes of one moment share a transaction: each sees what those before it changed, and one that
   * throws leaves nothing and costs the others nothing.
   *
   * `decide` may be called more than once for one change, since a group that fails is tried again one by one. What it does to
   * the memory of the process (a budget, a limit, what a connection was told) must bear that. `weight` is how many events it may store.
   */
  change<T>(keys: LoadKeys, decide: (loaded: Loaded) => Decision<T>, weight?: number): Promise<T>
}

export type Decision<T> = Decided<T> | More

export interface Decided<T> {
  change: Change
  answer: T
}

/** What was loaded shows that something else is needed, too. Said before anything else is touched. */
export interface More {
  more: LoadKeys
}

/** What a decision may look up. Whatever is not named here is not loaded. */
export interface LoadKeys {
  /** Machines, for their fences alone. */
  fences?: readonly string[]
  machines?: readonly string[]
  /** `madeBy`: where there is no such session, how many this machine has. */
  sessions?: ReadonlyArray<{ sessionId: string; madeBy?: string }>
  /** Of those numbers that the session has stored. */
  hashes?: ReadonlyArray<{ sessionId: string; seqs: readonly number[] }>
  commands?: readonly string[]
  /** Commands, each with the event of this kind that it bears out already. */
  given?: ReadonlyArray<{ commandId: string; kind: SessionEventKind }>
  promptEdits?: ReadonlyArray<{ sessionId: string; promptId: string }>
  /** Sessions whose sent and accepted commands are needed. */
  unsettled?: readonly string[]
  requests?: readonly string[]
  openRequests?: ReadonlyArray<{ agentId: string; sessionId: string }>
  headsGiven?: boolean
  standings?: readonly StandingOf[]
}

/** `row` is undefined where there is none. What cannot be read as it was stored is an error for whoever looks it up, and for nobody else. */
export interface Looked<T> {
  readonly row: T | undefined
  readonly damaged?: true
}

export interface LookedSession extends Looked<NewSession> {
  readonly isDeleted?: boolean
  /** How many the machine has that would make it. */
  readonly madeBefore?: number
}

export type LookedUp<T> = ReadonlyMap<string, Looked<T>>

/** Each key that was given has an entry. */
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
  /** By the session. */
  openRequests: ReadonlyMap<string, { ofMachine: OpenRequests; ofSession: OpenRequests }>
  headsGiven: number | null
  /** By `standingKey`. */
  standings: LookedUp<Standing>
}

export const deedKey = (commandId: string, kind: string): string => `${kind} ${commandId}`
export const editsKey = (sessionId: string, promptId: string): string => `${sessionId} ${promptId}`
export const standingKey = ({ kind, id }: StandingOf): string => `${kind} ${id}`
