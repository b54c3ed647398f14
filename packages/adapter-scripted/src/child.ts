/**
 * One child process with its three pipes: writes lines, reads lines, ends it, tells once how it ended.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { ExitInfo } from '@roundhouse/backend-types'
import type { LineEnds } from '@roundhouse/lines'
import { LineReader } from './line-reader'

const STDERR_TAIL_BYTES = 4096
/** A child of the program may hold its stdout open for ever; what was printed before the end is read within this time. */
const LEFTOVER_MS = 250

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
  private readonly child: ChildProcessWithoutNullStreams
  private readonly reader: LineReader
  private stderr = Buffer.alloc(0)
  private ending = false
  private gone = false
  /** Resolves when the operating system has reaped it, or never started it. */
  private readonly reaped: Promise<void>

  constructor(private readonly options: ChildOptions) {
    this.child = spawn(options.program, options.args, { cwd: options.cwd, env: options.env, stdio: 'pipe' })
    this.reader = new LineReader(this.child.stdout, { line: options.onLine, tooLong: options.onTooLong })
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr = Buffer.concat([this.stderr, chunk]).subarray(-STDERR_TAIL_BYTES)
    })
    // A write into a program that just died: its exit says so.
    this.child.stdin.on('error', () => undefined)
    this.reaped = new Promise((resolve) => {
      this.child.once('error', (error) => this.end(null, null, String(error)).then(resolve, resolve))
      this.child.once('exit', (code, signal) => {
        this.gone = true
        resolve()
        void this.end(code, signal)
      })
    })
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  isAlive(): boolean {
    return !this.gone && !this.ending
  }

  write(frame: object): void {
    if (this.child.stdin.writable) this.child.stdin.write(`${JSON.stringify(frame)}\n`)
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
  }

  private async end(code: number | null, signal: string | null, error = ''): Promise<void> {
    this.gone = true
    const timer = setTimeout(() => this.reader.close(), LEFTOVER_MS)
    if (this.child.pid === undefined) this.reader.close()
    await this.reader.finished
    clearTimeout(timer)
    this.child.stderr.destroy()
    if (!this.ending) this.options.onExit(code, { signal, stderrTail: error || this.stderr.toString('utf8') })
  }
}
