/**
 * Images in prompts. Their first bytes decide the type: a file's name and content type do not count. SVG is excluded,
 * because it is a document that can run scripts.
 */
import { z } from 'zod'
import { Id, Sha256 } from '../common/ids'

export const IMAGE_LIMIT_BYTES = 5 * 1_048_576
export const IMAGES_PER_PROMPT = 10
/** The size of one chunk to a machine: in base64 it fits into a frame (`linkLimits.frameBytes`). */
export const IMAGE_CHUNK_BYTES = 262_144

export const ImageType = z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])
export type ImageType = z.infer<typeof ImageType>

/** An image of a prompt. Its bytes travel apart from the command. */
export const PromptImage = z.object({
  imageId: Id,
  mediaType: ImageType,
  bytes: z.number().int().min(1).max(IMAGE_LIMIT_BYTES),
  sha256: Sha256,
})
export type PromptImage = z.infer<typeof PromptImage>

export const PromptImages = z.array(PromptImage).min(1).max(IMAGES_PER_PROMPT)

/** An image in the log: no redactor looks into an image. */
export const LoggedImage = PromptImage.extend({ redacted: z.literal(false) })
export type LoggedImage = z.infer<typeof LoggedImage>

/** As an adapter is given it: `data` is base64. */
export interface BackendImage {
  mediaType: ImageType
  data: string
}

/** By its first bytes; null: none of the images that are taken. */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  const startsWith = (expected: readonly number[], at = 0) => expected.every((byte, i) => bytes[at + i] === byte)
  if (startsWith([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png'
  if (startsWith([0xff, 0xd8, 0xff])) return 'image/jpeg'
  if (startsWith(ascii('RIFF')) && startsWith(ascii('WEBP'), 8)) return 'image/webp'
  if (startsWith(ascii('GIF87a')) || startsWith(ascii('GIF89a'))) return 'image/gif'
  return null
}

const ascii = (text: string) => [...text].map((char) => char.charCodeAt(0))
