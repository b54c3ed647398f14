/** A turn, and what of it lies on the disk. */
import type { TurnEnd } from '@roundhouse/backend-types'
import type { Applied } from '../settings/settings'

export interface Turn {
  turnId: string
  /** The command of its prompt; absent if the turn began by itself. */
  commandId?: string
  phase: 'starting' | 'running'
  interruptAsked: boolean
  /** The settings with which its prompt was given to the program. */
  applied?: Applied
  /** A person ends the program, and the turn with it. */
  endsWithProgram?: boolean
  /** After that, or after the interrupt, a person sent or released something, so the end of this turn does not hold the queue. */
  goesOn?: boolean
  endedBy?: TurnEnd
}

/** What the next host must know of a turn that it finds open. */
export interface TurnNote {
  turnId: string
  commandId?: string
  /** The prompt was given to the backend, or was about to be. */
  handedOver: boolean
  startSeq: number
}

export const turnKey = 'turn'
export const queueKey = 'queue'
