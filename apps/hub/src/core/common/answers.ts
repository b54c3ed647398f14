/** CMD-6: answers come from a machine that is not ours to trust. Each is checked before anybody sees it. */
import { CodedError, type QuestionAnswer, type QuestionKind, questions } from '@roundhouse/backend-types'

export const readManifest = (answer: unknown) => read('manifest', answer).manifest
export const readCommands = (answer: unknown) => read('commands', answer)
export function readArtifactChunk(answer: unknown): { chunk: Uint8Array; bytes: number } {
  const { data, bytes } = read('artifact', answer)
  return { chunk: Buffer.from(data, 'base64'), bytes }
}

export const readFiles = (answer: unknown) => read('files', answer)
export const readFolders = (answer: unknown) => read('folders', answer)

/** The text reaches to the end of the block: its length says where it begins. */
export function readBlock(answer: unknown): { text: string; from: number; length: number } {
  const { text, length } = read('block', answer)
  return { text, from: Math.max(0, length - text.length), length }
}

function read<K extends QuestionKind>(kind: K, answer: unknown): QuestionAnswer<K> {
  const parsed = questions[kind].answer.safeParse(answer)
  if (parsed.success) return parsed.data as QuestionAnswer<K>
  throw new CodedError('BACKEND_ERROR', 'The machine gave an answer that the hub does not understand.')
}
