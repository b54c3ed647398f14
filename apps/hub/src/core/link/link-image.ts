/** A machine asks for an image of a prompt for one of its sessions: one chunk at a time, with a check each time. */

import { CodedError, type ImageAsked, type ImageChunk } from '@roundhouse/backend-types'
import type { Presence } from '../machines/presence'
import type { ImageStore } from '../ports/image-store'
import type { Reads } from '../ports/stores'
import { requireCurrent } from './link-current'
import type { LinkFacts } from './link-facts'

export interface LinkImageDeps {
  images: ImageStore
  presence: Presence
  reads: Pick<Reads, 'machines' | 'sessions'>
}

export async function imageChunk(
  deps: LinkImageDeps,
  facts: LinkFacts,
  { sessionId, imageId, from }: ImageAsked,
): Promise<ImageChunk> {
  await requireCurrent(deps, facts)
  if ((await deps.reads.sessions.find(sessionId))?.agentId !== facts.agentId) throw new CodedError('SESSION_NOT_YOURS')
  const row = await deps.images.find(imageId)
  const chunk = row?.sessionId === sessionId && row.usedAt !== null ? await deps.images.chunk(imageId, from) : undefined
  if (!chunk) throw new CodedError('IMAGE_NOT_FOUND')
  return { data: Buffer.from(chunk).toString('base64') }
}
