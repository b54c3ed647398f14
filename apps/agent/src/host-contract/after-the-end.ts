/** What may still be asked of a session that has ended: nothing goes on in it, but what is left of it can be removed. */
import type { Command } from '@roundhouse/backend-types'

export const allowedAfterEnd: ReadonlySet<Command['body']['kind']> = new Set([
  'session.delete',
  'event.blank',
  'process.end',
])
