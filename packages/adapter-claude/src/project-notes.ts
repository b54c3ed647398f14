/**
 * The repository's `CLAUDE.md`, for machines whose policy does not trust project configuration: the CLI then loads none of
 * it, although this file is only text. A link is not followed: it could name any file of the owner.
 */
import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { LeftOut } from '@roundhouse/backend-types'

const MAX_BYTES = 64 * 1024

/** What the CLI would load of a repository that it trusts, and what of it runs or changes what may run. */
const configuration = [
  ['.claude/settings.json', 'settings and hooks'],
  ['.claude/settings.local.json', 'settings and hooks'],
  ['.claude/commands', 'commands'],
  ['.claude/agents', 'agents'],
  ['.claude/skills', 'skills'],
  ['.mcp.json', 'MCP servers'],
] as const

export async function leftOutOf(workDir: string): Promise<LeftOut[]> {
  const found = await Promise.all(
    configuration.map(async ([path, what]) =>
      lstat(join(workDir, path)).then(
        () => [{ path, what }],
        () => [],
      ),
    ),
  )
  return found.flat()
}

/** `denied`: what the policy denies by path. */
export async function readProjectNotes(workDir: string, denied: readonly string[] = []): Promise<string | undefined> {
  try {
    const path = join(await realpath(workDir), 'CLAUDE.md')
    // The policy may name a place by a link.
    const places = await Promise.all(denied.map((one) => realpath(one).catch(() => one)))
    if (places.some((one) => path === one || path.startsWith(one + sep))) return undefined
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
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
