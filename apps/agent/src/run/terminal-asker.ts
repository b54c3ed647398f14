/**
 * Asks the person at the terminal whether a tool may run. The terminal is that of the process, whatever stdin and stdout are. The
 * person sees the whole input with every hidden character; what cannot be shown so is denied. Only `y` and `yes` allow.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { createInterface, type Interface } from 'node:readline'
import { ReadStream } from 'node:tty'
import { CodedError, type PermissionRequest } from '@roundhouse/backend-types'
import type { Answer } from '@roundhouse/runtime/execute'
import { visibleText } from '../files/inert-text'

/** Characters of an input that a person still reads. */
const MOST_SHOWN = 20_000

export class TerminalAsker {
  private last: Promise<unknown> = Promise.resolve()

  private constructor(
    private readonly fd: number,
    private readonly input: ReadStream,
    private readonly lines: Interface,
  ) {}

  /** Throws `INVALID_ARGUMENT` where there is no terminal. */
  static open(): TerminalAsker {
    try {
      const input = new ReadStream(openSync('/dev/tty', 'r'))
      return new TerminalAsker(openSync('/dev/tty', 'w'), input, createInterface({ input }))
    } catch (cause) {
      throw new CodedError('INVALID_ARGUMENT', '--ask needs a terminal, and there is none.', undefined, cause)
    }
  }

  /** One question at a time. */
  ask(request: PermissionRequest, withdrawn: AbortSignal): Promise<Answer> {
    const answer = this.last.then(() => this.question(request, withdrawn))
    this.last = answer.catch(() => {})
    return answer
  }

  close(): void {
    this.lines.close()
    this.input.destroy()
    closeSync(this.fd)
  }

  private async question({ toolName, input, meta }: PermissionRequest, withdrawn: AbortSignal): Promise<Answer> {
    if (withdrawn.aborted) return denied('It is no longer asked.')
    if (meta?.answerFields || meta?.plan) return denied('Questions and plans cannot be answered here.')
    const shown = visibleText(JSON.stringify(input, null, 2) ?? '')
    if (shown.length > MOST_SHOWN) return denied('Its input is too large to be shown.')
    this.say(`\nThe program wants to use ${visibleText(toolName)}:\n${shown}\nAllow it? [y/N] `)
    const line = await this.line(withdrawn)
    if (line === null) this.say('\n')
    return /^y(es)?$/i.test(line?.trim() ?? '')
      ? { decision: 'allow' }
      : denied('The person at the terminal denied it.')
  }

  /** Null: withdrawn, or the terminal is gone. */
  private line(withdrawn: AbortSignal): Promise<string | null> {
    return new Promise((resolve) => {
      const done = new AbortController()
      const settle = (line: string | null) => {
        done.abort()
        this.lines.off('line', settle).off('close', gone)
        resolve(line)
      }
      const gone = () => settle(null)
      this.lines.on('line', settle).on('close', gone)
      withdrawn.addEventListener('abort', gone, { signal: done.signal })
    })
  }

  private say(text: string): void {
    try {
      writeSync(this.fd, text)
    } catch {
      // The terminal is gone: its lines are closed too, and that denies.
    }
  }
}

const denied = (reason: string): Answer => ({ decision: 'deny', reason })
