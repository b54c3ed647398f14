/** The agent's programs that it starts by path. During an update they are missing for a moment. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'

/** Throws a code that passes (`isLack`): what needs the program is tried again. */
export function requireProgram(entry: string): void {
  if (existsSync(entry)) return
  throw new CodedError(
    'OUT_OF_RESOURCES',
    `The agent's program ${path.basename(entry)} is missing. Is the agent being updated?`,
  )
}
