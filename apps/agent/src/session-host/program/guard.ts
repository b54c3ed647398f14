/**
 * A backend whose host died would go on working: it would run further tools that nobody sees or logs. So a tiny shell
 * waits on a pipe from the host. The pipe ends without a word: the host died, and the shell becomes the reaper. A line
 * comes: the host ends on purpose, and the shell just goes. It must not carry the session's mark, or it would be reaped.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { HOST_MARK } from '../../host-contract/launch-spec'

const script = 'read _ && exit 0; exec "$1" "$2" "$3" "$4" "$5"'

/** Between two tries to start it, where the machine has no room for it. */
const AGAIN_MS = 1_000

export class Guard {
  private child: ChildProcess | null = null
  private dismissed = false

  constructor(
    /** Without one there is no guard. */
    private readonly reaperEntry: string | undefined,
    private readonly sessionDir: string,
    private readonly sessionId: string,
  ) {}

  /** Starts it unless it runs. A guard that went away, or could not be started, is replaced. Never throws. */
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
      process.env[HOST_MARK] ?? '',
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
    // First: one that the machine has no room for tells it by an event, and has no pipe.
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

  /** Nothing is left to be guarded. */
  dismiss(): void {
    this.dismissed = true
    this.child?.stdin?.end('x\n')
  }
}
