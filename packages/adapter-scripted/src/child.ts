/**
 * One child process with its three pipes: writes lines, reads lines, ends it, tells once how it ended.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import type { ExitInfo } from '@roundhouse/backend-types'
import type { LineEnds } from '@roundhouse/lines'
import { LineReader } from './line-reader'

const STDERR_TAIL_BYTES = 4096
/** A child of the program may hold its stdout open for ever: after its exit, a silence this long ends the reading. */
const SILENCE_MS = 250

export interface ChildOptions {
  program: string
  args: string[]
  cwd: string
  env: Record<string, string>
  /** Between SIGTERM and SIGKILL. */
  graceMs: number
  onLine(line: string): void
  onTooLong(line: LineEnds): void
  onExit(code: number | null, info: ExitInfo): void
}

export class Child {
  private readonly child: ChildProcess
  private readonly reader: LineReader
  private stderr = Buffer.alloc(0)
  private ending = false
  private gone = false
  /** Resolves when the operating system has reaped it, or never started it. */
  private readonly reaped: Promise<void>
  /** Resolves when everything that it had printed was read. */
  private told: Promise<void> = Promise.resolve()
  /** Why it could not be started. */
  failure: Error | undefined

  constructor(private readonly options: ChildOptions) {
    this.child = spawn(options.program, options.args, { cwd: options.cwd, env: options.env, stdio: 'pipe' })
    this.reaped = new Promise((resolve) => {
      this.child.once('error', (error) => {
        this.failure = error
        this.told = this.end(null, null, String(error))
        this.told.then(resolve, resolve)
      })
      this.child.once('exit', (code, signal) => {
        this.gone = true
        resolve()
        this.told = this.end(code, signal)
      })
    })
    // After the listener above: one that the machine has no room for tells it by that event, and has no pipes.
    const lines = { line: options.onLine, tooLong: options.onTooLong }
    this.reader = new LineReader(this.child.stdout ?? Readable.from([]), lines)
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = Buffer.concat([this.stderr, chunk]).subarray(-STDERR_TAIL_BYTES)
    })
    // A write into a program that just died: its exit says so.
    this.child.stdin?.on('error', () => undefined)
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  isAlive(): boolean {
    return !this.gone && !this.ending
  }

  write(frame: object): void {
    if (this.child.stdin?.writable) this.child.stdin.write(`${JSON.stringify(frame)}\n`)
  }

  setReading(reading: boolean): void {
    this.reader.setReading(reading)
  }

  /** Its exit is planned from now on: `onExit` will not be called. */
  async kill(): Promise<void> {
    this.ending = true
    if (this.gone || this.child.pid === undefined) return this.reaped
    this.child.kill('SIGTERM')
    const hard = setTimeout(() => this.child.kill('SIGKILL'), this.options.graceMs)
    await this.reaped
    clearTimeout(hard)
    this.reader.setReading(true) // its last words, which nobody holds back any more
    await this.told
  }

  /** The immediate lets a loop that was busy read what is there before the silence is judged. */
  private closeAfterSilence(): void {
    const before = this.reader.bytesRead
    const judge = () => (this.reader.bytesRead === before ? this.reader.close() : this.closeAfterSilence())
    setTimeout(() => setImmediate(judge), SILENCE_MS).unref()
  }

  private async end(code: number | null, signal: string | null, error = ''): Promise<void> {
    this.gone = true
    if (this.child.pid === undefined) this.reader.close()
    else this.closeAfterSilence()
    await this.reader.finished
    this.child.stderr?.destroy()
    if (!this.ending) this.options.onExit(code, { signal, stderrTail: error || this.stderr.toString('utf8') })
  }
}
