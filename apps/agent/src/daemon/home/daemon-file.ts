/** `daemon.json`: facts about the running daemon for other programs of this user. Removed when the daemon ends cleanly. */
import { rmSync } from 'node:fs'
import { readOwnFile } from '@roundhouse/owner'
import { z } from 'zod'
import { writeDurablyOrInPlace } from '../../files/write-durably'

export const DaemonFile = z.object({
  pid: z.number().int(),
  startedAt: z.number(),
  /** With the pid it identifies one process for good (RES-6). Absent in a file of an earlier release. */
  start: z.string().optional(),
  bootId: z.string().optional(),
  /** The state folder in which the file was written. In a copy of the folder it differs. */
  folder: z.string().optional(),
  connected: z.boolean(),
  link: z.enum(['connected', 'not connected', 'waits for approval']),
  hubUrl: z.string(),
})
export type DaemonFile = z.infer<typeof DaemonFile>

export const writeDaemonFile = (file: string, content: DaemonFile): void =>
  writeDurablyOrInPlace(file, `${JSON.stringify(content)}\n`)

export const removeDaemonFile = (file: string): void => rmSync(file, { force: true })

export function readDaemonFile(file: string): DaemonFile | null {
  try {
    return DaemonFile.parse(JSON.parse(readOwnFile(file)))
  } catch {
    return null
  }
}
