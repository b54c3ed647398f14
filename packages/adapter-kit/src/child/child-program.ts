/**
 * One program as a child process: writes JSON to its input, a text to a line, reads the lines that it prints, ends it, and
 * tells once how it ended.
 *
 *     running --end--> ending --+
 *        |                      +--> exited, told after the last line
 *        +--by itself-----------+
 *
 * - While paused nothing is read, so the program waits on its full pipe; lines that were read already wait too. With the exit
 *   of the program reading goes on by itself: its last words come before its exit in any case.
 * - Commands that outlive the program may hold its pipes open for as long as they like: after its exit, a silence ends the reading.
 * - Ending is SIGTERM, a grace time, SIGKILL.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import type { ExitInfo } from '@roundhouse/backend-types'
import type { LineEnds } from '@roundhouse/lines'
import { descendantsOf, type ProcessMark, signalAll } from './descendants'
import { LineReader } from './line-reader'

export interface ChildCommand {
  file: string
  args: string[]
  env: Record<string, string>
  workDir: string
  /** Between SIGTERM and SIGKILL. */
  graceMs: number
  maxLineBytes?: number | undefined
  /** Its input is closed before the SIGTERM. */
  closesInput?: boolean
  /** What it started ends with it, where the program itself would leave that behind. Linux only. */
  endsDescendants?: boolean
}

export interface ChildHandlers {
  /** Never blank. */
  line(text: string): void
  tooLong(line: LineEnds): void
  /** Once, after the last line, whoever ended it. */
  exit(code: number | null, info: ExitInfo): void
}

export interface ChildExit {
  code: number | null
  info: ExitInfo
}

const STDERR_TAIL_BYTES = 4096
const SILENCE_MS = 250
/** For what the program had started and left behind. */
const LEFTOVER_GRACE_MS = 500

export class ChildProgram {
  private readonly child: ChildProcess
  private readonly reader: LineReader
  private stderrTail: Buffer = Buffer.alloc(0)
  private ending: Promise<void> | undefined
  private exited = false
  /** Rejects with the error of the system where the program could not be started. */
  readonly spawned: Promise<void>
  readonly gone: Promise<ChildExit>
  /** Why it could not be started. */
  failure: Error | undefined

  /** Throws for arguments that no process can be given. */
  constructor(
    private readonly command: ChildCommand,
    private readonly handlers: ChildHandlers,
  ) {
    const { file, args, env, workDir: cwd, maxLineBytes } = command
    const child = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    this.child = child
    this.spawned = new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    this.spawned.catch(() => {})
    this.gone = new Promise((resolve) => {
      const finish = (code: number | null, signal: string | null) => this.finish(code, signal, resolve)
      child.once('close', finish)
      child.once('exit', (code, signal) => {
        this.reader.setReading(true)
        this.afterSilence(() => finish(code, signal))
      })
      child.once('error', (error) => {
        this.note(Buffer.from(`${error.message}\n`))
        this.failure = error
        if (child.pid === undefined) finish(null, null)
      })
    })
    // After the listeners above: a program that the machine has no room for tells it by an event, and has no pipes.
    this.reader = new LineReader(child.stdout ?? Readable.from([]), handlers, maxLineBytes)
    child.stderr?.on('data', (chunk: Buffer) => this.note(chunk))
    // A write into a program that just died: its exit says so.
    child.stdin?.on('error', () => {})
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  /** False once it has exited, is being ended, or takes no more input. */
  get isAlive(): boolean {
    return !this.ending && !this.hasExited && this.child.stdin?.writable === true
  }

  get isEnding(): boolean {
    return this.ending !== undefined
  }

  /** Its last words may still be on the way. */
  get hasExited(): boolean {
    return this.exited || this.child.exitCode !== null || this.child.signalCode !== null
  }

  get isPaused(): boolean {
    return !this.reader.isReading
  }

  write(frame: object): void {
    if (this.child.stdin?.writable) this.child.stdin.write(`${JSON.stringify(frame)}\n`)
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.exited) this.child.kill(signal)
  }

  pause(paused: boolean): void {
    if (!this.hasExited) this.reader.setReading(!paused)
  }

  /** Resolves when the process, and what ends with it, are gone. */
  end(): Promise<void> {
    this.ending ??= this.terminate()
    return this.ending
  }

  private async terminate(): Promise<void> {
    const { pid } = this.child
    if (this.hasExited || pid === undefined) return void (await this.gone)
    // Noted before the first signal: nothing can find them afterwards.
    const below = new Map<number, ProcessMark>()
    const look = () => {
      if (this.command.endsDescendants) for (const mark of descendantsOf(pid)) below.set(mark.pid, mark)
    }
    look()
    if (this.command.closesInput) this.child.stdin?.end()
    this.child.kill('SIGTERM')
    const timer = setTimeout(() => {
      look()
      this.child.kill('SIGKILL')
    }, this.command.graceMs)
    await this.gone
    clearTimeout(timer)
    const left = [...below.values()]
    if (signalAll(left, 'SIGTERM') === 0) return
    await new Promise((resolve) => setTimeout(resolve, LEFTOVER_GRACE_MS))
    signalAll(left, 'SIGKILL')
  }

  private finish(code: number | null, signal: string | null, gone: (exit: ChildExit) => void): void {
    if (this.exited) return
    this.exited = true
    this.reader.close()
    this.child.stderr?.destroy()
    const info = { signal, stderrTail: wholeCharacters(this.stderrTail) }
    this.handlers.exit(code, info)
    gone({ code, info })
  }

  /** The immediate lets a loop that was busy read what is there before the silence is judged. */
  private afterSilence(then: () => void): void {
    const before = this.reader.bytesRead
    const judge = () => (this.reader.bytesRead === before ? then() : this.afterSilence(then))
    setTimeout(() => setImmediate(judge), SILENCE_MS).unref()
  }

  private note(chunk: Buffer): void {
    this.stderrTail = Buffer.concat([this.stderrTail, chunk]).subarray(-STDERR_TAIL_BYTES)
  }
}

/** Bytes that were cut in the middle of a character are left out. */
function wholeCharacters(tail: Buffer): string {
  return tail.toString('utf8').replace(/^\ufffd+/, '')
}
