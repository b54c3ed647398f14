/** Who speaks on the bus, and who may read what is said. */
import type { BusData, PeerRole } from '@roundhouse/backend-types'

/** Who may read a message: whoever reaches the machine, and the person. */
export interface BusAudience {
  agentId: string | null
  userId: string | null
}

export type PeerKind = 'session' | 'token' | 'person'
export type PeerState = 'here' | 'stale' | 'left'
export type LeftReason = 'clean' | 'crash' | 'timeout'

/** What is known of one life of a peer. */
export interface PeerFacts {
  parentId?: string | null
  model?: string
  mission?: string
  cwd?: string
  procId?: string
  phasesCompleted?: string[]
  /** When the phase began. */
  phaseAt?: number
  /** Where an orchestrator wants it: its next move there counts. */
  forcedPhase?: string
  completed?: boolean
  cost?: number
  tokens?: number
  heartbeat?: BusData
}

export interface PeerRow extends BusAudience {
  peerId: string
  kind: PeerKind
  role: PeerRole
  name: string
  state: PeerState
  joinedAt: number
  seenAt: number
  reason: LeftReason | null
  /** Null: it has not said in this life. */
  phase: string | null
  facts: PeerFacts
}
