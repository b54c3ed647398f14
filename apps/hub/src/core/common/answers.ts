/** Converts answers of machines for use in the hub. `readAnswer` has checked their shape on arrival. */
import type { QuestionAnswer } from '@roundhouse/backend-types'

export function artifactChunkOf({ data, bytes }: QuestionAnswer<'artifact'>): { chunk: Uint8Array; bytes: number } {
  return { chunk: Buffer.from(data, 'base64'), bytes }
}

/** The text ends with the block, so its length says where it begins. */
export function blockOf({ text, length }: QuestionAnswer<'block'>): { text: string; from: number; length: number } {
  return { text, from: Math.max(0, length - text.length), length }
}
