/** What the hub asks a machine: each question with its answer. */
import { z } from 'zod'
import { AgentManifestPayload } from '../adapter/manifest'
import { QueryAnswer, ReadQuery } from '../adapter/queries'
import { CommandsReply } from '../adapter/slash-commands'
import { CodedError, ErrorBody, type ErrorCode } from '../common/errors'
import { ForeignId, Id } from '../common/ids'
import { ArtifactChunk } from '../link/agent-link'
import { FoldersReply } from '../link/machines'
import { FilesQuery, FilesReply } from '../link/work-files'
import { FolderRules } from '../session/folder-rule'
import type { QuestionTable } from './frame'

export const questions = {
  manifest: {
    summary: 'The current backends of the machine',
    ask: z.object({ kind: z.literal('manifest') }),
    answer: z.object({ manifest: AgentManifestPayload }),
  },
  folders: {
    summary: 'The folders inside a path; without a path, the roots that the machine allows',
    ask: z.object({ kind: z.literal('folders'), path: z.string().max(4096).optional() }),
    answer: FoldersReply,
  },
  rules: {
    summary: 'The rules that “always allow in this folder” left on the machine (PERM-13)',
    ask: z.object({ kind: z.literal('rules') }),
    answer: FolderRules,
  },
  commands: {
    summary: 'The slash commands that a session’s program accepts',
    ask: z.object({ kind: z.literal('commands'), sessionId: Id }),
    answer: CommandsReply,
  },
  artifact: {
    summary: 'A chunk of an artifact (LOG-6)',
    ask: z.object({ kind: z.literal('artifact'), sessionId: Id, artifactId: Id, from: z.number().int().min(0) }),
    answer: ArtifactChunk,
  },
  query: {
    summary: 'What the running program of a session says of itself (CMD-11)',
    ask: z.object({ kind: z.literal('query'), sessionId: Id, method: ReadQuery }),
    answer: QueryAnswer,
  },
  files: {
    summary: 'Files of a session’s work folder that match what a person typed',
    ask: z.object({ kind: z.literal('files'), sessionId: Id, ...FilesQuery.shape }),
    answer: FilesReply,
  },
  block: {
    summary: 'The text of an open block; it reaches to the end of the block (LOG-5)',
    ask: z.object({ kind: z.literal('block'), sessionId: Id, blockId: ForeignId, from: z.number().int().min(0) }),
    answer: z.object({ text: z.string(), length: z.number().int().min(0) }),
  },
} as const satisfies QuestionTable

export type QuestionKind = keyof typeof questions

export const Question = z.discriminatedUnion('kind', [
  questions.manifest.ask,
  questions.folders.ask,
  questions.rules.ask,
  questions.commands.ask,
  questions.artifact.ask,
  questions.query.ask,
  questions.files.ask,
  questions.block.ask,
])
export type Question = z.infer<typeof Question>

export type QuestionAnswer<K extends QuestionKind> = z.output<(typeof questions)[K]['answer']>

/** CMD-6: a machine is not trusted with the shape of its answers. Throws `BACKEND_ERROR`. */
export function readAnswer<K extends QuestionKind>(kind: K, answer: unknown): QuestionAnswer<K> {
  const read = questions[kind].answer.safeParse(answer)
  if (read.success) return read.data as QuestionAnswer<K>
  throw new CodedError('BACKEND_ERROR', 'The machine gave an answer that the hub does not understand.')
}

/** Codes by which a machine may refuse a question: those of its own folders, sessions and programs, never those of the hub. */
export const questionRefusals = [
  'INVALID_ARGUMENT',
  'MALFORMED_FRAME',
  'FRAME_TOO_LARGE',
  'NOT_FOUND',
  'UNSUPPORTED',
  'RATE_LIMITED',
  'PATH_NOT_ALLOWED',
  'POLICY_DENIED',
  'FOLDER_UNAVAILABLE',
  'ARTIFACT_GONE',
  'SESSION_NOT_FOUND',
  'SESSION_ENDED',
  'NOT_RUNNING',
  'STATE_UNWRITABLE',
  'DISK_FULL',
  'DISK_FAILING',
  'OUT_OF_RESOURCES',
  'BACKEND_UNAVAILABLE',
  'BACKEND_VERSION',
  'BACKEND_CRASHED',
  'BACKEND_TIMEOUT',
  'BACKEND_ERROR',
] as const satisfies readonly ErrorCode[]

const refusals: ReadonlySet<string> = new Set(questionRefusals)
const SENTENCE_CHARS = 1_000

/** CMD-6: nor with the status of the answer. Any other code, and what is no error, is `BACKEND_ERROR`. */
export function readRefusal(error: unknown): CodedError {
  const { data } = ErrorBody.safeParse(error)
  if (!data) return new CodedError('BACKEND_ERROR', 'The machine gave an answer that the hub does not understand.')
  const code = refusals.has(data.code) ? (data.code as ErrorCode) : 'BACKEND_ERROR'
  return new CodedError(code, data.message.slice(0, SENTENCE_CHARS))
}

/** A row whose question cannot be asked would not compile. */
type NotAsked = Exclude<QuestionKind, Question['kind']>
true satisfies [NotAsked] extends [never] ? true : never
