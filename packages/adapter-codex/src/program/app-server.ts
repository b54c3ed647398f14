/**
 * The thin edge: one `codex app-server` as a child process, lines in and lines out. It knows nothing of what the lines
 * mean. `exited` settles once, when the process is gone and what it printed has been read.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { type Line, type LineEnds, LineSplitter } from '@roundhouse/lines'

export interface AppServerExit {
  code: number | null
  signal: string | null
  stderrTail: string
}

export interface AppServer {
  pid: number | undefined
  write(line: string): void
  /** Stops reading its output, so that it waits on its pipe, or goes on. */
  pause(paused: boolean): void
  exited: Promise<AppServerExit>
  hasExited(): boolean
  stderrTail(): string
  /** Closes its input and asks it to end; after the grace time it is killed. */
  end(graceMs: number): Promise<AppServerExit>
}

export interface AppServerOptions {
  command: string
  args: string[]
  env: Record<string, string>
  cwd: string
  onLine(line: string): void
  onTooLong(line: LineEnds): void
}

const stderrLimit = 4096
/** A server of the CLI may hold the pipes open after the CLI itself is gone. */
const drainMs = 1_000

/** Rejects with the error of the system when the program cannot be started at all. */
export async function startAppServer(options: AppServerOptions): Promise<AppServer> {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      child.removeListener('error', reject)
      resolve(connect(child, options))
    })
  })
}

function connect(child: ChildProcessWithoutNullStreams, options: AppServerOptions): AppServer {
  let stderr = Buffer.alloc(0)
  const stderrTail = () => stripVTControlCharacters(stderr.toString('utf8')).trim()
  const lines = new LineSplitter()
  const give = (line: Line) => {
    if (line.kind === 'too_long') options.onTooLong(line)
    else if (line.text !== '') options.onLine(line.text)
  }

  child.stdout.on('data', (chunk: Buffer) => lines.push(chunk).forEach(give))
  child.stdout.once('end', () => lines.end().forEach(give))
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-stderrLimit)
  })
  // A write after its death is answered by `exited`; without a listener it would end this process too.
  child.stdin.on('error', () => {})
  child.on('error', () => {})

  const exited = new Promise<AppServerExit>((resolve) => {
    child.once('exit', (code, signal) => {
      const settle = () => {
        clearTimeout(timer)
        resolve({ code, signal, stderrTail: stderrTail() })
      }
      // A paused pipe would never be drained.
      child.stdout.resume()
      const timer = setTimeout(settle, drainMs)
      child.once('close', settle)
    })
  })
  const hasExited = () => child.exitCode !== null || child.signalCode !== null

  return {
    pid: child.pid,
    write: (line) => {
      if (child.stdin.writable) child.stdin.write(line)
    },
    pause: (paused) => {
      if (paused) child.stdout.pause()
      else child.stdout.resume()
    },
    exited,
    hasExited,
    stderrTail,
    end(graceMs) {
      if (hasExited()) return exited
      child.stdin.end()
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
      return exited.finally(() => clearTimeout(timer))
    },
  }
}
