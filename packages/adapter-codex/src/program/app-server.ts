/** One `codex app-server` as a child process. */

import { stripVTControlCharacters } from 'node:util'
import { type ChildCommand, type ChildExit, type ChildHandlers, ChildProgram } from '@roundhouse/adapter-kit'

/** Rejects with the error of the system when the program cannot be started at all. */
export async function startAppServer(command: ChildCommand, handlers: ChildHandlers): Promise<ChildProgram> {
  const child = new ChildProgram({ ...command, closesInput: true }, handlers)
  await child.spawned
  return child
}

/** Of a program that is gone before it answered. */
export function endedAtOnce({ code, info }: ChildExit): string {
  return `Codex ended at once (${info.signal ?? code}). ${plain(info.stderrTail)}`.trim()
}

/** What it wrote to stderr, without its colours. */
export const plain = (stderrTail: string): string => stripVTControlCharacters(stderrTail).trim()
