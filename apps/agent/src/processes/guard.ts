/**
 * Ends a backend whose host died. Without it the backend would continue and run tools that nobody sees or logs. A tiny
 * shell waits on a pipe from the host. If the pipe ends without a line, the host died, and the shell becomes the
 * reaper. If a line comes, the host ends on purpose, and the shell exits. The shell must not carry the session's mark,
 * or the reaper would end it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { HOST_MARK } from '../host-contract/launch-spec'

const script = 'read _ && exit 0; exec "$1" "$2" "$3" "$4" "$5"'

/** Time between two attempts to start the guard while the machine lacks resources. */
const AGAIN_MS = 1_000

export class Guard {
  private child: ChildProcess | null = null
  private dismissed = false

  constructor(
    /** Without an entry there is no guard. */
    private readonly reaperEntry: string | undefined,
    private readonly sessionDir: string,
    private readonly sessionId: string,
    /** The mark of the programs that are ended with whoever holds this guard. */
    private readonly launch = process.env[HOST_MARK] ?? '',
  ) {}

  /** Starts the guard unless it runs, and replaces one that exited or could not start. Never throws. */
  watch(): void {
    const { reaperEntry } = this
    if (this.child || this.dismissed || reaperEntry === undefined) return
    const args = [
      '-c',
      script,
      'roundhouse-guard',
      process.execPath,
      reaperEntry,
      this.sessionDir,
      this.sessionId,
      this.launch,
    ]
    try {
      this.begin(args)
    } catch {
      this.again()
    }
  }

  private begin(args: string[]): void {
    const child = spawn('/bin/sh', args, {
      detached: true,
      cwd: this.sessionDir,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    })
    this.child = child
    // Registered first: a failed start reports an error event and has no pipe.
    child.on('error', () => {
      if (child.pid === undefined) this.again()
    })
    child.stdin?.on('error', () => {})
    child.unref()
    child.once('exit', () => {
      this.child = null
      this.watch()
    })
  }

  private again(): void {
    this.child = null
    setTimeout(() => this.watch(), AGAIN_MS).unref()
  }

  get pid(): number | undefined {
    return this.child?.pid
  }

  /** Nothing is left to guard. */
  dismiss(): void {
    this.dismissed = true
    this.child?.stdin?.end('x\n')
  }
}
