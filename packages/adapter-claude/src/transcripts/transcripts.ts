/**
 * The conversations that Claude Code keeps on disk: one file of JSON lines each, below `projects/` in a folder named after
 * the work folder. That name is not to be rebuilt (it is cut and hashed), so the folders are looked through.
 */
import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackendOutput, CodedError, transcriptPrompt } from '@roundhouse/backend-types'
import { LineSplitter } from '@roundhouse/lines'
import { configFolder } from '../program/config-folder'
import { showSlash } from '../program/slash-commands'
import { Translator } from '../translate/translate'
import { compact, type Frame, parseFrame, recordAt, recordsAt, textAt } from '../wire/frames'
import { isConversationId } from '../wire/ids'
import { Branches } from './branches'

export interface StoredConversation {
  backendSessionId: string
  workDir: string
  title: string
  updatedAt: number
}

interface TranscriptFile {
  id: string
  path: string
  updatedAt: number
}

/** The newest are offered; whoever wants an older one resumes it by its id. */
const MAX_LISTED = 200
/** Of each file, for folder and first prompt, and for the last titles. */
const END_BYTES = 128 * 1024
const TITLE_LENGTH = 120
/** Lines that the program writes in the person's place. */
const notTyped = /^(\[Request interrupted|<(local-command|command-|task-notification|system-reminder))/

export async function listConversations(env: Record<string, string>): Promise<StoredConversation[]> {
  const files = await findFiles(env)
  files.sort((a, b) => b.updatedAt - a.updatedAt)
  const read = await Promise.all(files.slice(0, MAX_LISTED).map(describe))
  return read.filter((conversation) => conversation !== undefined)
}

export async function findConversation(env: Record<string, string>, id: string): Promise<string | null> {
  // Also what keeps the id from being a path.
  if (!isConversationId(id)) return null
  const paths = (await foldersOf(env)).map((folder) => join(folder, `${id}.jsonl`))
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
  return paths[found.findIndex((file) => file?.isFile())] ?? null
}

export async function readConversation(env: Record<string, string>, id: string): Promise<BackendOutput[]> {
  const path = await findConversation(env, id)
  if (path === null) throw new CodedError('RESUME_UNAVAILABLE', undefined, { backendSessionId: id })
  const read = transcriptReader()
  const lines = new LineSplitter()
  const outputs: BackendOutput[] = []
  for await (const chunk of createReadStream(path)) {
    for (const line of lines.push(chunk as Buffer)) {
      const frame = line.kind === 'line' ? parseFrame(line.text) : null
      if (frame) outputs.push(...read(frame))
    }
  }
  return outputs
}

/** Its lines carry what the frames carried, so the same translation reads them. */
export function transcriptReader(): (line: Frame) => BackendOutput[] {
  const translator = new Translator({
    backendSessionId: '',
    workDir: '',
    blockPrefix: '',
    maxOutputTokens: undefined,
    costBaseline: undefined,
  })
  const branches = new Branches()
  return (line) => {
    branches.add(line)
    const prompt = promptOf(line)
    if (prompt !== undefined) return [transcriptPrompt(prompt, imagesOf(line), branches.forksAt(line))]
    // Sub-agents have files of their own; what the program told itself is marked as meta.
    if (line.isSidechain === true || line.isMeta === true) return []
    if (line.type !== 'assistant' && line.type !== 'user') return []
    const { toolUseResult: tool_use_result, apiErrorStatus: api_error_status } = line
    const frame = compact({ ...line, parent_tool_use_id: null, tool_use_result, api_error_status })
    return translator
      .accept(frame)
      .flatMap((event) => (event.type === 'output' && event.output.kind !== 'raw' ? [event.output] : []))
  }
}

/** What a person wrote; not results, not what the program put in their place. */
function promptOf(line: Frame): string | undefined {
  if (line.type !== 'user' || line.isSidechain === true || line.isMeta === true || line.isCompactSummary === true)
    return undefined
  const message = recordAt(line, 'message')
  const said = recordsAt(message, 'content').filter(({ type }) => type !== 'image')
  const texts = said.map((block) => (block.type === 'text' ? textAt(block, 'text') : undefined))
  const text = textAt(message, 'content') ?? (texts.every((part) => part !== undefined) ? texts.join('\n') : undefined)
  const command =
    /^<command-message>[^<]*<\/command-message>\n<command-name>(\/[^<]+)<\/command-name>(?:\n<command-args>([\s\S]*)<\/command-args>)?$/.exec(
      text ?? '',
    )
  if (command) return [command[1], command[2]].filter(Boolean).join(' ')
  if (!text) return text === '' && imagesOf(line) > 0 ? text : undefined
  return notTyped.test(text) ? undefined : showSlash(text)
}

const imagesOf = (line: Frame): number =>
  recordsAt(recordAt(line, 'message'), 'content').filter(({ type }) => type === 'image').length

async function describe({ id, path, updatedAt }: TranscriptFile): Promise<StoredConversation | undefined> {
  const lines = await readEnds(path).catch(() => [])
  const first = lines.find((line) => line.type === 'user' && textAt(line, 'cwd') !== undefined)
  const workDir = textAt(first, 'cwd')
  // A file that was begun and never used has no person's line.
  if (workDir === undefined) return undefined
  const last = (type: string, key: string) =>
    textAt(
      lines.findLast((line) => line.type === type),
      key,
    )
  const title =
    last('custom-title', 'customTitle') ?? last('last-prompt', 'lastPrompt') ?? lines.map(promptOf).find(Boolean)
  return { backendSessionId: id, workDir, title: (title ?? '').slice(0, TITLE_LENGTH), updatedAt }
}

/** The whole lines of the beginning and of the end of a file. */
async function readEnds(path: string): Promise<Frame[]> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const part = async (from: number, length: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
      return buffer.subarray(0, bytesRead).toString('utf8')
    }
    const text =
      size <= 2 * END_BYTES
        ? await part(0, size)
        : `${await part(0, END_BYTES)}\n${await part(size - END_BYTES, END_BYTES)}`
    return text
      .split('\n')
      .map(parseFrame)
      .filter((frame) => frame !== null)
  } finally {
    await file.close()
  }
}

async function findFiles(env: Record<string, string>): Promise<TranscriptFile[]> {
  return (await Promise.all((await foldersOf(env)).map(filesOf))).flat()
}

async function foldersOf(env: Record<string, string>): Promise<string[]> {
  const config = configFolder(env)
  if (config === undefined) return []
  const projects = join(config, 'projects')
  const folders = await readdir(projects).catch(() => [])
  return folders.map((folder) => join(projects, folder))
}

async function filesOf(folder: string): Promise<TranscriptFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => isConversationId(name.replace(/\.jsonl$/, '')))
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const found = await stat(path).catch(() => undefined)
      return found?.isFile() ? [{ id: name.replace(/\.jsonl$/, ''), path, updatedAt: Math.floor(found.mtimeMs) }] : []
    }),
  )
  return files.flat()
}
