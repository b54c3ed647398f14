/**
 * One conversation on disk, so that it can go on after the player was killed. Replaced as a whole, synced before the
 * rename: a kill at any instant leaves the old or the new one. What the turn prints while it runs is beside it, in the
 * tail of the conversation, and belongs to it for every reader.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BackendOutput } from '@roundhouse/backend-types'
import type { Settings } from '../script/frames'
import { readTail } from './tail'

/** What the model of the latest turn was given. */
export interface ModelInput {
  system: string
  userTexts: string[]
  settings: Settings
}

export interface PastTurn {
  /** Absent for a turn that began by itself. */
  prompt?: string
  steered: string[]
  /** The latest finished blocks, and what was said between them, at most `KEPT_OUTPUTS`. */
  outputs: BackendOutput[]
}

export interface Conversation {
  id: string
  workDir: string
  startedAt: number
  updatedAt: number
  turns: PastTurn[]
  /** Turns that the program had played before it went on with this one: ids of blocks and calls count on. */
  before?: number
  view?: ModelInput
}

/** The number of its latest turn. */
export function turnNumber({ turns, before = 0 }: Conversation): number {
  return before + turns.length
}

export const KEPT_OUTPUTS = 200

/** An id that may stand in a file name. */
export function isConversationId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(id)
}

export function conversationFile(folder: string, id: string): string {
  return join(folder, `${id}.json`)
}

export function newConversation(workDir: string, now: number, id: string = randomUUID()): Conversation {
  return { id, workDir, startedAt: now, updatedAt: now, turns: [] }
}

/** Null where there is no such conversation, or its file is damaged. */
export function readConversation(folder: string, id: string): Conversation | null {
  if (!isConversationId(id) || !existsSync(conversationFile(folder, id))) return null
  try {
    const conversation = JSON.parse(readFileSync(conversationFile(folder, id), 'utf8')) as Conversation
    const last = conversation.turns.at(-1)
    const tail = readTail(folder, id, turnNumber(conversation))
    // The tail knows of a turn whatever its file knows, and more if the player was killed in it.
    if (last && tail.length > 0) last.outputs = tail.slice(-KEPT_OUTPUTS).map(({ output }) => output)
    return conversation
  } catch {
    return null
  }
}

export function saveConversation(folder: string, conversation: Conversation, now: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const target = conversationFile(folder, conversation.id)
  const draft = `${target}.${process.pid}.tmp`
  const fd = openSync(draft, 'w', 0o600)
  try {
    // Goes on after a short write, which a nearly full disk gives.
    writeFileSync(fd, JSON.stringify({ ...conversation, updatedAt: now }))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, target)
}

/** The user texts so far, oldest first: what makes a conversation one conversation. */
export function userTexts(conversation: Conversation): string[] {
  return conversation.turns.flatMap((turn) => [...(turn.prompt === undefined ? [] : [turn.prompt]), ...turn.steered])
}
