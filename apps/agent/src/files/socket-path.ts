/**
 * The socket paths of session hosts. A socket path has a hard length limit, and the system silently cuts a longer one, so
 * that two sessions could share a socket.
 */
import { createHash } from 'node:crypto'

/** Bytes, without the closing zero. */
export const SOCKET_PATH_LIMIT = process.platform === 'darwin' ? 103 : 107

/** Short, and as long for every session. */
export function socketName(sessionId: string): string {
  return `${createHash('sha256').update(sessionId).digest('hex').slice(0, 12)}.sock`
}

/** Of the session's tools: as long as the other one, so that a folder has room for both or for none. */
export const toolSocketName = (sessionId: string): string => socketName(sessionId).replace(/\.sock$/, '.tool')

/** Whether a folder leaves room for a name in it. */
export function hasRoomForSocket(folder: string): boolean {
  return Buffer.byteLength(folder) + 1 + socketName('').length <= SOCKET_PATH_LIMIT
}
