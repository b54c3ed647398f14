/**
 * Images of prompts (IMG-1). They are uploaded separately from the command, by people who may prompt in the session,
 * or, for a new session's first prompt, by people who may create sessions (IMG-3). Until a prompt uses an image, only
 * its sender can read it, and it is deleted after a day. After that it is part of the session and is deleted with it.
 */
import {
  CodedError,
  IMAGE_LIMIT_BYTES,
  IMAGES_PER_PROMPT,
  type ImageType,
  type ImageUploaded,
  imageTypeOf,
  isSupported,
  type PromptImage,
} from '@roundhouse/backend-types'
import { type Actor, requireCan } from '../access/access'
import { entryOf } from '../audit/audit'
import { sha256 } from '../common/digests'
import { newId } from '../common/random'
import type { ImageRow, ImageStore } from '../ports/image-store'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import { once } from '../writes/once'
import type { PersonTx, WriteAs } from '../writes/write-as'
import { reportedProgram } from './require-supported'
import { requireSessionFor } from './session-pages'

interface ImagesDeps {
  images: ImageStore
  now: () => number
  reads: Pick<Reads, 'machines' | 'sessions'>
  writeAs: WriteAs
}

export interface ImagesApi {
  /** For a prompt in this session; needs the right to prompt there. */
  upload(actor: Actor, sessionId: string, bytes: Uint8Array, idempotencyKey: string): Promise<ImageUploaded>
  /** For the first prompt of a session that does not exist yet. */
  uploadFirst(actor: Actor, bytes: Uint8Array, idempotencyKey: string): Promise<ImageUploaded>
  /** An image of a prompt of this session, or one's own upload. */
  read(actor: Actor, sessionId: string, imageId: string): Promise<{ mediaType: ImageType; bytes: Uint8Array }>
}

export const UNUSED_IMAGES_KEPT_MS = 24 * 3_600_000

const imageLimits = {
  /** Per session. */
  sessionBytes: 512 * 1_048_576,
  /** Per person, in all sessions and for new ones: two full prompts. */
  unusedBytes: 2 * IMAGES_PER_PROMPT * IMAGE_LIMIT_BYTES,
  unusedCount: 200,
} as const

export function createImages(deps: ImagesDeps): ImagesApi {
  return {
    upload: async (actor, sessionId, bytes, key) =>
      upload(deps, actor, await requireSessionFor(deps, actor, 'session.prompt', sessionId), bytes, key),
    uploadFirst: async (actor, bytes, key) => {
      requireCan(actor, 'session.create')
      return upload(deps, actor, null, bytes, key)
    },
    read: async (actor, sessionId, imageId) => {
      await requireSessionFor(deps, actor, 'session.read', sessionId)
      const row = await deps.images.find(imageId)
      if (row?.sessionId !== sessionId || !isVisible(row, actor)) throw new CodedError('IMAGE_NOT_FOUND')
      return { mediaType: row.mediaType, bytes: await wholeOf(deps, row) }
    },
  }
}

async function upload(
  deps: ImagesDeps,
  actor: Actor,
  session: SessionRow | null,
  bytes: Uint8Array,
  key: string,
): Promise<ImageUploaded> {
  const mediaType = imageTypeOf(bytes)
  const refusal = await refusalOf(async () => {
    if (session) await requireTaken(deps, session)
    if (bytes.length > IMAGE_LIMIT_BYTES) throw new CodedError('IMAGE_TOO_LARGE')
    if (!mediaType) throw new CodedError('IMAGE_INVALID')
    await requireRoom(deps, session, actor, bytes.length)
  })
  const known = { mediaType: mediaType ?? 'image/png', bytes: bytes.length, sha256: sha256(bytes) } as const
  const image: PromptImage = { imageId: newId('img'), ...known }
  const now = deps.now()
  if (!refusal) await deps.images.keep(image.imageId, bytes, now)
  let stored: ImageUploaded | undefined
  try {
    const route = session ? `image.upload ${session.sessionId}` : 'image.upload'
    const call = { actor, route, key, body: image.sha256 }
    stored = await once(deps, call, async (tx) => {
      // After the check of the caller's rights, which may have ended while the bytes arrived.
      if (refusal) throw refusal
      if (session && !(await tx.sessions.find(session.sessionId))) throw new CodedError('SESSION_NOT_FOUND')
      await requireRoom(deps, session, actor, bytes.length)
      const sessionId = session?.sessionId ?? null
      await tx.images.insert({ ...image, sessionId, userId: actor.userId, createdAt: now, usedAt: null })
      await tx.audit.append(entryOf(actor, 'image.upload', sessionId ?? image.imageId, { ...image }), now)
      return image
    })
    return stored
  } finally {
    // The upload was refused, or it repeats one whose answer names the stored image.
    if (stored?.imageId !== image.imageId) await deps.images.drop(image.imageId).catch(() => {})
  }
}

async function refusalOf(check: () => Promise<void>): Promise<unknown> {
  try {
    await check()
    return null
  } catch (error) {
    return error
  }
}

type TakeDeps = Pick<ImagesDeps, 'now' | 'reads'>

/** The images that the sender of a prompt named. */
interface Named {
  actor: Actor
  imageIds: readonly string[]
  text: string
}

/** The images that a prompt names, in order. They become part of the session. */
export async function takeImages(
  deps: TakeDeps,
  tx: PersonTx,
  sessionId: string,
  named: Named,
): Promise<PromptImage[]> {
  const session = await tx.sessions.find(sessionId)
  if (!session) throw new CodedError('SESSION_NOT_FOUND')
  return bring(deps, tx, session, named, (row) => row.sessionId === sessionId && isVisible(row, named.actor))
}

/** The images of the first prompt, in the transaction that creates the session: the sender's own uploads without a session. */
export function takeFirstImages(deps: TakeDeps, tx: PersonTx, session: SessionRow, named: Named) {
  return bring(deps, tx, session, named, (row) => row.sessionId === null && row.userId === named.actor.userId)
}

async function bring(
  deps: TakeDeps,
  tx: PersonTx,
  session: SessionRow,
  { imageIds, text }: Named,
  mayBring: (row: ImageRow) => boolean,
): Promise<PromptImage[]> {
  if (imageIds.length > IMAGES_PER_PROMPT) throw new CodedError('TOO_MANY_IMAGES')
  await requireTaken(deps, session, text === '')
  const found = new Map((await tx.images.find(imageIds)).map((row) => [row.imageId, row]))
  const rows = imageIds.map((imageId) => {
    const row = found.get(imageId)
    if (!row || !mayBring(row)) throw new CodedError('IMAGE_NOT_FOUND')
    return row
  })
  await tx.images.bring(imageIds, session.sessionId, deps.now())
  return rows.map(({ imageId, mediaType, bytes, sha256 }) => ({ imageId, mediaType, bytes, sha256 }))
}

const isVisible = ({ usedAt, userId }: ImageRow, actor: Actor) => usedAt !== null || userId === actor.userId

/** Decides by the machine's last report of the program. An older agent reports nothing and would ignore images. */
async function requireTaken(
  { reads }: Pick<ImagesDeps, 'reads'>,
  { agentId, backend }: Pick<SessionRow, 'agentId' | 'backend'>,
  alone = false,
): Promise<void> {
  const machine = await reads.machines.findWithManifest(agentId)
  const can = reportedProgram(machine?.manifest, backend)?.capabilities
  if (!can)
    throw new CodedError('UNSUPPORTED', 'This machine has not said yet whether this program takes images. Try again.', {
      capability: 'images',
    })
  const missing = (['images', ...(alone ? ['images_alone' as const] : [])] as const).find(
    (capability) => !isSupported(can, capability),
  )
  if (missing) throw new CodedError('UNSUPPORTED', imageLacks[missing], { capability: missing })
}

const imageLacks = {
  images: 'This machine takes no images for this backend. A newer agent may.',
  images_alone: 'This machine takes images only with a text. A newer agent may take them alone.',
} as const

async function requireRoom(
  { images }: ImagesDeps,
  session: SessionRow | null,
  { userId }: Actor,
  bytes: number,
): Promise<void> {
  const { ofSession, unused, unusedCount } = await images.held(session?.sessionId ?? null, userId)
  if (ofSession + bytes > imageLimits.sessionBytes)
    throw new CodedError('IMAGES_FULL', 'This session holds as many images as it may. Start another one.')
  if (unused + bytes > imageLimits.unusedBytes || unusedCount >= imageLimits.unusedCount)
    throw new CodedError(
      'IMAGES_FULL',
      'You have uploaded many images that you did not send. Send some, or wait a day.',
    )
}

async function wholeOf({ images }: ImagesDeps, { imageId, bytes, sha256: expected }: ImageRow): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (let from = 0; from < bytes; ) {
    const part = await images.chunk(imageId, from)
    if (!part) throw new CodedError('STORAGE_DAMAGED')
    parts.push(part)
    from += part.length
  }
  const whole = Buffer.concat(parts)
  if (sha256(whole) !== expected) throw new CodedError('STORAGE_DAMAGED')
  return whole
}
