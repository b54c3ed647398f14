/**
 * The agent's own record of what a hub asked for and what became of it: append-only, one JSON line a verb, readable with
 * the hub down. No prompt, no path and no secret is in it. At 8 MiB the file moves aside, once.
 */
import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs'
import type { Command, CommandAnswer } from '@roundhouse/backend-types'

const TURN_AT_BYTES = 8 * 1024 * 1024

export class VerbsLog {
  constructor(
    private readonly file: string,
    private readonly now: () => number,
  ) {}

  write(command: Command, answer: CommandAnswer): void {
    const { commandId, sessionId, author, body } = command
    const entry = {
      at: new Date(this.now()).toISOString(),
      verb: body.kind,
      sessionId,
      commandId,
      userId: author.userId,
      verdict: answer.state,
      ...('error' in answer ? { code: answer.error.code, rule: answer.error.details?.rule } : {}),
    }
    try {
      if (existsSync(this.file) && statSync(this.file).size > TURN_AT_BYTES) renameSync(this.file, `${this.file}.1`)
      appendFileSync(this.file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
    } catch {
      // A full disk must not keep a person from stopping a session.
    }
  }
}
