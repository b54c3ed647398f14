import { randomBytes } from 'node:crypto'
import type { PermissionAsk } from '@roundhouse/backend-types'
import type { ChannelCardRow } from '../../core'

/** Its reference is all that a button carries, and nobody can guess it. */
export const newCard = (
  linkId: string,
  sessionId: string,
  { requestId, digest }: Pick<PermissionAsk, 'requestId' | 'digest'>,
  createdAt: number,
): ChannelCardRow => ({
  ref: randomBytes(15).toString('base64url'),
  linkId,
  sessionId,
  requestId,
  digest,
  createdAt,
  messageId: null,
  closedAt: null,
})
