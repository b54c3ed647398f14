/**
 * What a bridge left behind that was killed: its guards end its programs at once (RES-6). Here the rest is ended, and the folders
 * go: of a bridge whose guard was killed too, or of a machine that was switched off.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { isRunning } from '@roundhouse/owner'
import { removeScratch } from '../files/scratch-folder'
import { anyRecordIn } from '../host-contract/host-door'
import { sessionFiles } from '../host-contract/paths'
import { reapSession } from '../reaper/reap'
import { removeLeft } from '../reaper/remove-left'
import type { ProgramFolders } from './session/program-place'

/** Never rejects. Sessions of a bridge that lives are left alone. */
export async function endLeftBehind(
  { bridges, scratch, readMarks }: ProgramFolders,
  log: (line: string) => void,
): Promise<void> {
  for (const sessionId of readdirSync(bridges)) {
    const dir = path.join(bridges, sessionId)
    try {
      if (!isLeft(dir)) continue
      const { found } = await reapSession(dir, sessionId, { readMarks, takeLeft: removeLeft })
      if (found > 0) log(`ended ${found} processes of a bridge that is gone`)
      removeScratch(path.join(scratch, sessionId))
      rmSync(dir, { recursive: true, force: true })
    } catch (error) {
      log(`session ${sessionId} of a bridge that is gone: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** A bridge writes its record in the moment in which it makes the folder. */
const MADE_WITHIN_MS = 600_000

/** One without a record is being made, or its bridge was killed while it made or removed it. */
function isLeft(dir: string): boolean {
  if (!existsSync(sessionFiles(dir).host)) return Date.now() - statSync(dir).mtimeMs > MADE_WITHIN_MS
  const record = anyRecordIn(dir)
  return record !== null && !isRunning(record)
}
