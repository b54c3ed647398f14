/** The store of machines and their keys. */
import type { AgentManifestPayload, AgentState } from '@roundhouse/backend-types'

/** What the next hello may bring (JOIN-4). */
export interface MachineChain {
  chains: readonly string[]
  /** The hub's epoch at the last hello. After a restore the hub's own memory proves nothing. */
  chainEpoch: string
}

/** Its connection, and when it was last seen. */
export interface MachineLink {
  connEpoch: number
  clonedAt: number | null
  /** When it disconnected. Null while it is connected, so also if the hub's process ended meanwhile. */
  lastSeenAt: number | null
  clockOffsetMs: number
}

/** What the machine reports about itself with a hello. */
export interface MachineFacts {
  software: string | null
  platform: string | null
  manifest: AgentManifestPayload | null
  roots: readonly string[]
  maxSandbox: string | null
  policyDigest: string | null
  policySummary: string | null
  pausedAt: number | null
}

export interface AgentRow extends MachineChain, MachineLink, MachineFacts {
  agentId: string
  name: string
  state: AgentState
  publicKey: string
  keyFingerprint: string
  createdAt: number
  createdBy: string | null
}

/** Without the manifest, which may be long and which only the machine's own page shows. */
export type MachineRow = Omit<AgentRow, 'manifest'>

/** The columns that decide whether a connection may write for it (LINK-3). */
export type MachineFence = Pick<AgentRow, 'connEpoch' | 'state' | 'name'>

export type MachineChange = Partial<Omit<AgentRow, 'agentId'>>

export interface MachineStore {
  find(agentId: string): Promise<MachineRow | undefined>
  /** Without unreadable ones. */
  findMany(agentIds: Iterable<string>): Promise<MachineRow[]>
  findWithManifest(agentId: string): Promise<AgentRow | undefined>
  listWithManifests(): Promise<AgentRow[]>
  idsInState(state: AgentState): Promise<string[]>
  /** Only the state, for checks with every frame. */
  state(agentId: string): Promise<AgentState | undefined>
}

/** In a person's transaction. */
export interface MachineWrites {
  find(agentId: string): Promise<AgentRow | null>
  insert(row: AgentRow): Promise<void>
  update(agentId: string, change: MachineChange): Promise<void>
  /** The key of a present machine or a former key of one, which no other machine may use. */
  isKeyKnown(publicKey: string): Promise<boolean>
  retireKey(key: { publicKey: string; agentId: string; retiredAt: number }): Promise<void>
  retiredKeys(agentId: string): Promise<string[]>
}
