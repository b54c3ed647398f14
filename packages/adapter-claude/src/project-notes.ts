/**
 * The repository's `CLAUDE.md`, for machines whose policy does not trust project configuration: the CLI then loads none of
 * it, although this file is only text. A link is not followed: it could name any file of the owner.
 */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const MAX_BYTES = 64 * 1024

export async function readProjectNotes(workDir: string): Promise<string | undefined> {
  try {
    const file = await open(
      join(workDir, 'CLAUDE.md'),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    )
    try {
      if (!(await file.stat()).isFile()) return undefined
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
      const text = buffer.subarray(0, bytesRead).toString('utf8').trim()
      return text === '' ? undefined : text
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

/** What is put above the conversation: the caller's text, then the notes under a heading that says whose they are. */
export function appendedPrompt(systemPrompt: string | undefined, notes: string | undefined): string | undefined {
  const parts = [systemPrompt, notes === undefined ? undefined : `Notes of this project (CLAUDE.md):\n\n${notes}`]
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n') || undefined
}
