/** What the core needs of the store to keep the images of prompts. */
import type { ImageType } from '@roundhouse/backend-types'

export interface ImageRow {
  imageId: string
  /** Null: it was uploaded for a session that does not exist yet. */
  sessionId: string | null
  /** Who uploaded it. */
  userId: string
  mediaType: ImageType
  bytes: number
  sha256: string
  createdAt: number
  /** Since when a prompt brings it. */
  usedAt: number | null
}

/** Bytes that are here, with their row or not. */
export interface ImageStore {
  /** In short steps, so that nobody's ack waits behind a long write. Nothing refers to it yet. */
  keep(imageId: string, bytes: Uint8Array, at: number): Promise<void>
  /** Of an upload that came to nothing. */
  drop(imageId: string): Promise<void>
  find(imageId: string): Promise<ImageRow | undefined>
  /** From there to the end of its part; undefined where there is nothing. */
  chunk(imageId: string, from: number): Promise<Uint8Array | undefined>
  /** Bytes of the session's images, and bytes and number of what this person uploaded and no prompt brings, anywhere. */
  held(sessionId: string | null, userId: string): Promise<{ ofSession: number; unused: number; unusedCount: number }>
  /** Erases what was uploaded before that moment and no prompt brings. */
  forgetUnused(before: number): Promise<void>
}

/** In a person's transaction. */
export interface ImageWrites {
  insert(row: ImageRow): Promise<void>
  find(imageIds: readonly string[]): Promise<ImageRow[]>
  /** A prompt of this session brings them: from now on they are a part of it. */
  bring(imageIds: readonly string[], sessionId: string, at: number): Promise<void>
}
