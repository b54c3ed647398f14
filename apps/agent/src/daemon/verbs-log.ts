/**
 * The agent's own record of what a hub asked for and what became of it: append-only, one JSON line a verb, readable with
 * the hub down and the daemon down. No prompt, no path and no secret is in it. At 8 MiB the file moves aside, once.
 */
import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs'
import type { Command, CommandAnswer } from '@roundhouse/backend-types'
import { z } from 'zod'

const TURN_AT_BYTES = 8 * 1024 * 1024

export const VerbEntry = z.object({
  /** ISO 8601. */
  at: z.string(),
  verb: z.string(),
  sessionId: z.string(),
  commandId: z.string(),
  userId: z.string(),
  /** The name that the hub gave; an older line has none. */
  author: z.string().optional(),
  /** What was answered: `accepted`, `done`, `refused`, `cancelled`, ... */
  verdict: z.string(),
  /** Of a refusal: the error's code, and the rule of the policy where it was one. */
  code: z.string().optional(),
  rule: z.string().optional(),
})
export type VerbEntry = z.infer<typeof VerbEntry>

export class VerbsLog {
  constructor(
    private readonly file: string,
    private readonly now: () => number,
    private readonly turnAtBytes = TURN_AT_BYTES,
  ) {}

  write(command: Command, answer: CommandAnswer): void {
    const entry = entryOf(command, answer, this.now())
    try {
      if (existsSync(this.file) && statSync(this.file).size > this.turnAtBytes) renameSync(this.file, turned(this.file))
      appendFileSync(this.file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
    } catch {
      // A full disk must not keep a person from stopping a session.
    }
  }
}

/** Where the lines before those of `file` are. */
export const turned = (file: string): string => `${file}.1`

function entryOf({ commandId, sessionId, author, body }: Command, answer: CommandAnswer, now: number): VerbEntry {
  const error = 'error' in answer ? answer.error : undefined
  const rule = error?.details?.rule
  return {
    at: new Date(now).toISOString(),
    verb: body.kind,
    sessionId,
    commandId,
    userId: author.userId,
    author: author.name,
    verdict: answer.state,
    ...(error ? { code: error.code } : {}),
    ...(typeof rule === 'string' ? { rule } : {}),
  }
}
