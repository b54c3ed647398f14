/** A machine asks for an image that a prompt brings to one of its sessions: a chunk at a time, judged each time. */
import { CodedError, type ImageAsked, type ImageChunk } from '@roundhouse/backend-types'
import type { Context } from './context'
import { requireCurrent } from './link-current'
import type { LinkFacts } from './link-facts'

export function imageChunk(context: Context, facts: LinkFacts, { sessionId, imageId, from }: ImageAsked): ImageChunk {
  requireCurrent(context, facts)
  if (context.reads.session(sessionId)?.agentId !== facts.agentId) throw new CodedError('SESSION_NOT_YOURS')
  const row = context.images.find(imageId)
  const chunk = row?.sessionId === sessionId && row.usedAt !== null ? context.images.chunk(imageId, from) : undefined
  if (!chunk) throw new CodedError('IMAGE_NOT_FOUND')
  return { data: Buffer.from(chunk).toString('base64') }
}
