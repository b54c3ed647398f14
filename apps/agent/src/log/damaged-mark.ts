/**
 * The file `log.damaged` beside a log. A process that finds damage writes it, and then ends or leaves the log alone. The
 * next holder of the session's lock sets the log aside and continues with a new one (REB-1), which makes the mark void.
 */
import { rmSync } from 'node:fs'
import { readOwnFile } from '@roundhouse/owner'
import { z } from 'zod'
import { throwPassing } from '../files/read-if-there'
import { writeDurably } from '../files/write-durably'
import { sessionFiles } from '../host-contract/paths'

const DamagedMark = z.object({
  /** The id of the damaged log; null if it could not be read. The mark does not apply to a log with another id. */
  logId: z.string().nullable(),
  found: z.string(),
})
export interface DamagedMark extends z.infer<typeof DamagedMark> {
  /** The mark itself cannot be read. */
  torn?: true
}

/** False if the disk does not accept it: the next process that finds the damage tries again. */
export function markDamaged(sessionDir: string, mark: DamagedMark): boolean {
  try {
    writeDurably(sessionFiles(sessionDir).damaged, JSON.stringify(mark))
    return true
  } catch (error) {
    console.error('cannot write the mark of a damaged log', error)
    return false
  }
}

/** An unreadable mark counts as one. Throws if the system cannot read it now. */
export function damagedMark(sessionDir: string): DamagedMark | null {
  const file = sessionFiles(sessionDir).damaged
  let text: string
  try {
    text = readOwnFile(file)
  } catch (error) {
    throwPassing(file, error)
    return null
  }
  try {
    return DamagedMark.parse(JSON.parse(text))
  } catch {
    return { logId: null, found: 'a mark that cannot be read', torn: true }
  }
}

export function clearMark(sessionDir: string): void {
  rmSync(sessionFiles(sessionDir).damaged, { force: true })
}
