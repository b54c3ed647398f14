/** Files of a repository that a program would read as instructions: what an adapter reads of them for a program. */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { sep } from 'node:path'

/** Whether the path is one of the folders or lies below one. Compares text: resolve links first. */
export const isInside = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep))

/**
 * The first bytes of an ordinary file, as text; undefined where there is none, or where it cannot be read. `real`: with its
 * links resolved. A link that was put there meanwhile is not followed, and a pipe keeps nobody waiting.
 */
export async function readStart(real: string, maxBytes: number): Promise<string | undefined> {
  return (await startOf(real, maxBytes))?.toString('utf8')
}

async function startOf(real: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const found = await file.stat()
      if (!found.isFile()) return undefined
      const most = Math.min(maxBytes, Math.max(found.size, 1))
      const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

/** An ordinary file as a whole, through links. Undefined where it is something else, has more bytes, or cannot be read. */
export async function readOrdinary(path: string, maxBytes: number): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined)
  return real === undefined ? undefined : readUnlinked(real, maxBytes)
}

/** The same of a file that is no link itself. */
export async function readUnlinked(path: string, maxBytes: number): Promise<string | undefined> {
  const bytes = await startOf(path, maxBytes + 1)
  return bytes === undefined || bytes.length > maxBytes ? undefined : bytes.toString('utf8')
}
