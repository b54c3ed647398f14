/** What a turn plays on: the conversation around it, as far as a step may see or change it. */
import type { BackgroundTask } from '@roundhouse/backend-types'
import type { PlayedDecision, Settings } from '../script/frames'
import type { Step } from '../script/script'
import type { Printer } from './printer'

export interface Stage {
  printer: Printer
  workDir: string
  env: Record<string, string | undefined>
  /** As they are at this moment: a change takes effect with the next step. */
  settings(): Settings
  /** Everything said so far, in characters: what a model would have to read. */
  historyLength(): number
  /** The conversation is another one from now on, and empty. */
  clear(): Promise<void>
  changeMode(mode: string): Promise<void>
  recall(): { turns: number; last: string | undefined }
  startLater(step: NonNullable<Step['background']>): void
  liveOn(): void
  /** What a call began goes on beside the turns; gives back the result of the call. `play` gives an exit code. */
  goOn(task: Omit<BackgroundTask, 'taskId' | 'canStop'>, play: (beside: Beside) => Promise<number | undefined>): string
}

/** What goes on beside the turns, as far as it plays or lasts. */
export interface Beside {
  readonly stopped: AbortSignal
  playUnder(steps: Step[], call: string): Promise<void>
}

export interface Decided {
  decision: PlayedDecision
  reason?: string
  input?: unknown
}

/** Frames of a sub-agent name the call that started it. */
export const nested = (under: string | undefined) => (under === undefined ? {} : { under })
