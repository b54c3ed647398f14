/** The machine's own record of the commands of hubs. At 8 MiB the file moves aside, once; only the daemon moves it. */
import { existsSync, renameSync, statSync } from 'node:fs'
import type { CodedError, Command, CommandAnswer } from '@roundhouse/backend-types'
import { appendVerb, turned, type VerbEntry } from '../../files/verbs-log'

const TURN_AT_BYTES = 8 * 1024 * 1024

export class VerbsLog {
  constructor(
    private readonly file: string,
    private readonly now: () => number,
    private readonly turnAtBytes = TURN_AT_BYTES,
  ) {}

  write(command: Command, answer: CommandAnswer): void {
    this.turn()
    appendVerb(this.file, entryOf(command, answer, this.now()))
  }

  /** A question about the machine: its folders, its backends. */
  asked(kind: string, refusal: CodedError | null): void {
    this.turn()
    const verdict = refusal ? { verdict: 'refused', code: refusal.code } : { verdict: 'answered' }
    appendVerb(this.file, {
      at: new Date(this.now()).toISOString(),
      verb: `question.${kind}`,
      sessionId: '-',
      ...verdict,
    })
  }

  private turn(): void {
    try {
      if (existsSync(this.file) && statSync(this.file).size > this.turnAtBytes) renameSync(this.file, turned(this.file))
    } catch {
      // The file keeps growing, and the move is tried again.
    }
  }
}

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
