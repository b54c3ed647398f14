/** Files of a repository that a program would read as instructions: what an adapter reads of them for a program. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { sep } from 'node:path'

/** Whether the path is one of the folders or lies below one. Compares text: resolve links first. */
export const isInside = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep))

/**
 * The first bytes of an ordinary file, as text; undefined where there is none, or where it cannot be read. `real`: with its
 * links resolved. A link that was put there meanwhile is not followed, and a pipe keeps nobody waiting.
 */
export async function readStart(real: string, maxBytes: number): Promise<string | undefined> {
  try {
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      if (!(await file.stat()).isFile()) return undefined
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
      return buffer.subarray(0, bytesRead).toString('utf8')
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}
