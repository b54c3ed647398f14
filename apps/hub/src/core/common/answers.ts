/** CMD-6: answers come from a machine that is not ours to trust. Each is checked before anybody sees it. */
import {
  AgentManifestPayload,
  ArtifactChunk,
  CodedError,
  CommandsReply,
  FilesReply,
  FoldersReply,
} from '@roundhouse/backend-types'
import { z } from 'zod'

const Manifest = z.object({ manifest: AgentManifestPayload })
const Block = z.object({ text: z.string(), length: z.number().int().min(0) })

export const readManifest = (answer: unknown) => read(Manifest, answer).manifest
export const readCommands = (answer: unknown) => read(CommandsReply, answer)
export function readArtifactChunk(answer: unknown): { chunk: Uint8Array; bytes: number } {
  const { data, bytes } = read(ArtifactChunk, answer)
  return { chunk: Buffer.from(data, 'base64'), bytes }
}

export const readFiles = (answer: unknown) => read(FilesReply, answer)
export const readFolders = (answer: unknown) => read(FoldersReply, answer)

/** The text reaches to the end of the block: its length says where it begins. */
export function readBlock(answer: unknown): { text: string; from: number; length: number } {
  const { text, length } = read(Block, answer)
  return { text, from: Math.max(0, length - text.length), length }
}

function read<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new CodedError('BACKEND_ERROR', 'The machine gave an answer that the hub does not understand.')
}
