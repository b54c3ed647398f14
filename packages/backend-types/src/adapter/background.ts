/** Background tasks of a program: how an adapter reports them, and how they end. */
import { z } from 'zod'

/**
 * A background task of a program. A helper is an agent that another call started; a command keeps running after its call was
 * answered.
 */
export const BackgroundTask = z.object({
  taskId: z.string().min(1).max(256),
  kind: z.enum(['helper', 'command']),
  /** Its description, in the words of its starter. */
  label: z.string(),
  /** The call that started it. */
  callId: z.string().min(1).max(256).optional(),
  /** `stopTask` ends it. */
  canStop: z.boolean(),
})
export type BackgroundTask = z.infer<typeof BackgroundTask>

/** A file in which a program keeps what a command in the background prints. It stays on the machine. */
export interface TaskOutputFile {
  /** The program's folder for such files; what is above it belongs to the machine. */
  folder: string
  /** The file's place in that folder. */
  path: string
}

/** As an adapter reports it. A command either has such a file, or reports its output by `tool_progress`. */
export interface ReportedTask extends BackgroundTask {
  outputFile?: TaskOutputFile
}

/** The subtype of the `system` event whose data is a `BackgroundFinished`. */
export const backgroundFinished = 'background_finished'

/** How a task ended, by the program's own word. */
export interface BackgroundFinished {
  taskId: string
  kind: BackgroundTask['kind']
  label: string
  callId?: string
  outcome: 'completed' | 'failed' | 'stopped'
  exitCode?: number
  /** Why it failed, where no exit code says it. */
  message?: string
  /** What a command printed, or the end of that. The host adds what it has read where an adapter gives none. */
  output?: string
  /** Something before `output` is left out. */
  outputCut?: boolean
}
