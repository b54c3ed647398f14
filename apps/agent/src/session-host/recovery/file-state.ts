/** A file of a conversation, as it is now. The session host waits for its disk itself (FLOW-7). */
import { statSync } from 'node:fs'
import { type FileState, stateOf } from '../../log/transcript-seen'

/** Null where there is no such file now. */
export function fileState(file: string): FileState | null {
  try {
    return stateOf(statSync(file))
  } catch {
    return null
  }
}
