/**
 * The thin edge: one child process, its lines in and out, and its end. It knows frames only as lines.
 *
 * Ending is SIGTERM, a grace time, SIGKILL. What the CLI had started is noted before the first signal: 2.1.197 leaves its
 * running command behind even on SIGTERM, and nothing can find it afterwards.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { ExitInfo } from '@roundhouse/backend-types'
import { type LineEnds, LineSplitter } from '@roundhouse/lines'
import { type Frame, parseFrame } from '../wire/frames'
import { descendantsOf, type ProcessMark, signalAll } from './descendants'

export interface ChildCommand {
  file: string
  args: string[]
  env: Record<string, string>
  workDir: string
  /** Between SIGTERM and SIGKILL. */
  killGraceMs: number
  maxLineBytes?: number | undefined
}

export interface ChildHandlers {
  frame(frame: Frame): void
  /** A line that is no frame, with what it was. */
  garbage(line: string): void
  /** A line over the limit. */
  dropped(line: LineEnds): void
  /** Once, after the last line was handled. */
  exit(code: number | null, info: ExitInfo): void
}

const STDERR_TAIL_BYTES = 4096
/** Commands that outlive the CLI may hold its pipes open: after its exit, a silence this long ends the reading. */
const SILENCE_MS = 250
/** For what the CLI had started and left behind. */
const LEFTOVER_GRACE_MS = 500

export class Child {
  private readonly child: ChildProcess
  private readonly lines: LineSplitter
  private stderrTail: Buffer = Buffer.alloc(0)
  private ending: Promise<void> | undefined
  private exited = false
  private bytesRead = 0
  private paused = false
  readonly gone: Promise<void>
  /** Why it could not be started. */
  failure: Error | undefined

  constructor(
    private readonly command: ChildCommand,
    private readonly handlers: ChildHandlers,
  ) {
    this.lines = new LineSplitter(command.maxLineBytes)
    const { file, args, env, workDir } = command
    this.child = spawn(file, args, { cwd: workDir, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    this.gone = new Promise((resolve) => {
      const finish = (code: number | null, signal: string | null) => {
        if (this.exited) return
        this.exited = true
        this.handlers.exit(code, { signal, stderrTail: textTail(this.stderrTail) })
        resolve()
      }
      // `close` follows the last line. It may wait for as long as an orphaned command holds the pipes, so not for ever.
      this.child.once('close', finish)
      this.child.once('exit', (code, signal) => this.afterSilence(() => finish(code, signal)))
      this.child.once('error', (error) => {
        this.note(Buffer.from(`${error.message}\n`))
        this.failure = error
        if (this.child.pid === undefined) finish(null, null)
      })
    })
    // After the listener above: one that the machine has no room for tells it by that event, and has no pipes.
    this.child.stdout?.on('data', (chunk: Buffer) => this.read(chunk))
    this.child.stderr?.on('data', (chunk: Buffer) => this.note(chunk))
    // A process that died has closed its end; its exit says so.
    this.child.stdin?.on('error', () => {})
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  get alive(): boolean {
    return (
      !this.exited &&
      !this.ending &&
      this.child.exitCode === null &&
      this.child.signalCode === null &&
      this.child.stdin?.writable === true
    )
  }

  get isEnding(): boolean {
    return this.ending !== undefined
  }

  write(frame: Frame): void {
    this.child.stdin?.write(`${JSON.stringify(frame)}\n`)
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.exited) this.child.kill(signal)
  }

  get isPaused(): boolean {
    return this.paused
  }

  /** The program waits on its full pipe. With its exit Node reads on by itself: the last words come in any case. */
  pause(paused: boolean): void {
    this.paused = paused
    if (paused) this.child.stdout?.pause()
    else this.child.stdout?.resume()
  }

  /** Resolves when the process and all that it had started are gone. */
  end(): Promise<void> {
    this.ending ??= this.terminate()
    return this.ending
  }

  private async terminate(): Promise<void> {
    const { pid } = this.child
    if (this.exited || pid === undefined) return this.gone
    const below = new Map<number, ProcessMark>()
    const look = () => {
      for (const mark of descendantsOf(pid)) below.set(mark.pid, mark)
    }
    look()
    this.child.kill('SIGTERM')
    const timer = setTimeout(() => {
      look()
      this.child.kill('SIGKILL')
    }, this.command.killGraceMs)
    await this.gone
    clearTimeout(timer)
    const left = [...below.values()]
    if (signalAll(left, 'SIGTERM') === 0) return
    await new Promise((resolve) => setTimeout(resolve, LEFTOVER_GRACE_MS))
    signalAll(left, 'SIGKILL')
  }

  /** The immediate lets a loop that was busy read what is there before the silence is judged. */
  private afterSilence(then: () => void): void {
    const before = this.bytesRead
    const judge = () => (this.bytesRead === before ? then() : this.afterSilence(then))
    setTimeout(() => setImmediate(judge), SILENCE_MS).unref()
  }

  private read(chunk: Buffer): void {
    this.bytesRead += chunk.length
    for (const line of this.lines.push(chunk)) {
      if (line.kind === 'too_long') this.handlers.dropped(line)
      else if (line.text.trim() !== '') {
        const frame = parseFrame(line.text)
        if (frame) this.handlers.frame(frame)
        else this.handlers.garbage(line.text)
      }
    }
  }

  private note(chunk: Buffer): void {
    this.stderrTail = Buffer.concat([this.stderrTail, chunk]).subarray(-STDERR_TAIL_BYTES)
  }
}

/** Bytes that were cut in the middle of a character are left out. */
function textTail(tail: Buffer): string {
  return tail.toString('utf8').replace(/^�+/, '')
}
