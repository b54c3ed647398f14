/** A turn, its state on disk, and what its runner needs of the session. */
import type { CodedError, TurnEnd } from '@roundhouse/backend-types'
import type { ImageFiles } from '../../host-contract/image-files'
import type { Journal } from '../journal/journal'
import type { BackgroundTasks } from '../output/background-tasks'
import type { LiveBlocks } from '../output/live-blocks'
import type { PermissionBroker } from '../permissions/permission-broker'
import type { ProgramRunner } from '../program/program-runner'
import type { ConversationKeeper } from '../settings/conversation-keeper'
import type { Applied, StoredSettings } from '../settings/settings'

export interface Turn {
  turnId: string
  /** The command of its prompt; absent if the turn began by itself. */
  commandId?: string
  phase: 'starting' | 'running'
  interruptAsked: boolean
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

interface TurnParts {
  journal: Journal
  conversation: ConversationKeeper
  runner: ProgramRunner
  broker: PermissionBroker
  live: LiveBlocks
  images: ImageFiles
  background: BackgroundTasks
}

export interface TurnPorts extends TurnParts {
  newId(): string
  settings(): StoredSettings | null
  /** Reads what was said elsewhere in this conversation before a prompt. Null if there is nothing to wait for. */
  readElsewhere(promptId: string): Promise<void> | null
  /** No turn may begin: the session is ending or has ended. */
  isClosing(): boolean
  /** The session counts as one of the programs that may run on this machine. */
  hasPlace(): boolean
  /** Why no program may start for this turn now, or null. A reason is reported at once. */
  forbids(desired: Applied): CodedError | null
  /** The host does not read the backend's output now, so replies do not arrive. */
  isHeld(): boolean
  /** How long a program may take to end a turn that a person stopped. Absent: the usual time. */
  stopLimitMs: number | undefined
  endProcess(): Promise<void>
  changed(): void
  news(commandId: string, state: 'done' | 'outcome_unknown'): void
  /** A spawn failed, so nothing runs. */
  startFailed(error: CodedError): void
}
