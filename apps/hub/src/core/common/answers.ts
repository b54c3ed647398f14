/** Answers of machines as the hub uses them. Their shape is checked where they arrive (`readAnswer`). */
import type { QuestionAnswer } from '@roundhouse/backend-types'

export function artifactChunkOf({ data, bytes }: QuestionAnswer<'artifact'>): { chunk: Uint8Array; bytes: number } {
  return { chunk: Buffer.from(data, 'base64'), bytes }
}

/** The text reaches to the end of the block: its length says where it begins. */
export function blockOf({ text, length }: QuestionAnswer<'block'>): { text: string; from: number; length: number } {
  return { text, from: Math.max(0, length - text.length), length }
}
