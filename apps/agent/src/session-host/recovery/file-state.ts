/** The current state of a conversation's file. The session host waits for its disk itself (FLOW-7). */
import { statSync } from 'node:fs'
import { type FileState, stateOf } from '../../log/transcript-seen'

/** Null if the file does not exist. */
export function fileState(file: string): FileState | null {
  try {
    return stateOf(statSync(file))
  } catch {
    return null
  }
}
