/** The id by which a program knows a prompt of ours: the same whenever it is asked for, so that nobody has to keep it. */
import { createHash } from 'node:crypto'

/**
 * A UUID (version 8, RFC 9562). Claude Code ignores a prompt with an id that its conversation has already: another log has other
 * ids, and a log runs a prompt once (CMD-5.28).
 */
export function messageIdOf(logId: string, promptId: string): string {
  const hash = createHash('sha256').update(`${logId}\n${promptId}`).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
