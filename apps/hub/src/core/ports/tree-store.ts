/** The store of trees of sessions: who started whom, who allowed it, what it cost, and what programs asked. */
import type { TreeStopReason } from '@roundhouse/backend-types'

/** Only sessions that another one started have one. It stays when a session is deleted. */
export interface TreeNodeRow {
  sessionId: string
  parentId: string
  rootId: string
  depth: number
}

export interface TreeRow {
  rootId: string
  /** The tree starts sessions with the rights of this person. */
  personId: string
  personName: string
  at: number
  budgetUsd: number | null
  budgetTokens: number | null
  costUsd: number
  tokens: number
  /** It starts no more sessions. */
  isOff: boolean
  stoppedAt: number | null
  stoppedWhy: TreeStopReason | null
}

/** What a program asked, until it is answered. */
export interface TreeRequestRow {
  sessionId: string
  seq: number
  requestId: string
  verb: string
  input: unknown
  createdAt: number
  dueAt: number | null
}

/** A request in its place among those that are open. Both count from 1, and the oldest of a session is the first. */
export interface PlacedRequest extends TreeRequestRow {
  ofSession: number
  /** The first of each session come before the second of any. */
  ofTree: number
}

export interface RequestPage {
  now: number
  /** One that is behind either is read as well, so that it can be refused. */
  mostOfSession: number
  mostOfTree: number
  limit: number
}

/** `tree`: of a root. `stopped`: when and why the tree that it is in was stopped, of a root and below it; null: it was not. */
export interface StoredPlace {
  node: TreeNodeRow | null
  tree: TreeRow | null
  stopped: Pick<TreeRow, 'stoppedAt' | 'stoppedWhy'> | null
}

export interface TreeStore {
  /** Without entries for sessions of no tree. */
  places(sessionIds: readonly string[]): Promise<Map<string, StoredPlace>>
  /** Those that are not over. */
  open(): Promise<TreeRow[]>
  /** The sessions below a root, also deleted ones. */
  below(rootId: string): Promise<TreeNodeRow[]>
  /** Ids of those who gave text to a session of the tree, also to one that is deleted: whose words may be behind what it asks. */
  authors(rootId: string): Promise<string[]>
  /** What can be answered now, in turns: the oldest of each session first. No wait before its time. */
  requests(page: RequestPage): Promise<PlacedRequest[]>
  /** Those of these sessions that have a wait open. */
  waiting(sessionIds: readonly string[]): Promise<Set<string>>
  /** Waits before their time, in one order, behind `after`. */
  waits(now: number, after: Pick<TreeRequestRow, 'sessionId' | 'seq'> | null, limit: number): Promise<TreeRequestRow[]>
}

/** In a transaction. */
export interface TreeWrites {
  node(sessionId: string): Promise<TreeNodeRow | null>
  tree(rootId: string): Promise<TreeRow | null>
  /** How many it ever started. */
  countChildren(parentId: string): Promise<number>
  /** The tree is open again. */
  insertNode(row: TreeNodeRow, at: number): Promise<void>
  /** The tree is open again. */
  put(row: TreeRow): Promise<void>
  /** All its sessions have ended: `below` of them besides the root. Nothing happens where there are more by now. */
  close(rootId: string, below: number): Promise<void>
  remove(rootId: string): Promise<void>
  spend(rootId: string, spent: { costUsd: number; tokens: number }): Promise<void>
  /** A request that is there already stays as it is. */
  insertRequest(row: TreeRequestRow): Promise<void>
  /** False: it was answered. */
  removeRequest(request: Pick<TreeRequestRow, 'sessionId' | 'seq'>): Promise<boolean>
  /** The waits that a session asked for before this event. */
  removeWaits(sessionId: string, before: number): Promise<void>
}
