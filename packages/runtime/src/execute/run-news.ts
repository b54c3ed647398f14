/** What is told while a run goes on: its events, and between them the pieces of a text that is still being written. */
import type { AgentEvent } from '@roundhouse/backend-types'

export type RunNews =
  /** `blockId`: of a text that was told in pieces before. */
  | { kind: 'event'; event: AgentEvent; blockId?: string }
  | { kind: 'piece'; blockId: string; text: string }
  /** The program starts that text anew: what was told of it does not count. */
  | { kind: 'taken_back'; blockId: string }
