/** The work folder of a session, by the copy of its settings that lies beside its log. */
import { z } from 'zod'
import { readIfThere } from '../files/read-if-there'
import type { SessionFiles } from './paths'

const Kept = z.object({ settings: z.string() })
const Stored = z.object({ realWorkDir: z.string().startsWith('/') })

/** Null where nothing is known of it. */
export function workFolderOf(files: Pick<SessionFiles, 'backup'>): string | null {
  const text = readIfThere(files.backup)
  if (text === null) return null
  try {
    return Stored.parse(JSON.parse(Kept.parse(JSON.parse(text)).settings)).realWorkDir
  } catch {
    return null
  }
}
