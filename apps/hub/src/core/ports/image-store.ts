/** The store of the images of prompts. */
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
  /** When a prompt first used it; null if none has. */
  usedAt: number | null
}

/** The stored bytes, with or without their row. */
export interface ImageStore {
  /** Written in short steps, so that no ack waits behind a long write. Nothing refers to the bytes yet. */
  keep(imageId: string, bytes: Uint8Array, at: number): Promise<void>
  /** Deletes the bytes of a failed upload. */
  drop(imageId: string): Promise<void>
  find(imageId: string): Promise<ImageRow | undefined>
  /** From there to the end of its part; undefined if there are none. */
  chunk(imageId: string, from: number): Promise<Uint8Array | undefined>
  /** Bytes of the session's images, and the bytes and number of this person's uploads that no prompt has used, in any session. */
  held(sessionId: string | null, userId: string): Promise<{ ofSession: number; unused: number; unusedCount: number }>
  /** Erases uploads from before that moment that no prompt has used. */
  forgetUnused(before: number): Promise<void>
}

/** In a person's transaction. */
export interface ImageWrites {
  insert(row: ImageRow): Promise<void>
  find(imageIds: readonly string[]): Promise<ImageRow[]>
  /** A prompt of this session uses the images, so they become part of the session. */
  bring(imageIds: readonly string[], sessionId: string, at: number): Promise<void>
}
