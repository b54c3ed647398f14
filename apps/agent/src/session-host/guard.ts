/**
 * A backend whose host died would go on working: it would run further tools that nobody sees or logs. So a tiny shell
 * waits on a pipe from the host. The pipe ends without a word: the host died, and the shell becomes the reaper. A line
 * comes: the host ends on purpose, and the shell just goes. It must not carry the session's mark, or it would be reaped.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { HOST_MARK } from '../host-contract/launch-spec'

const script = 'read _ && exit 0; exec "$1" "$2" "$3" "$4" "$5"'

export class Guard {
  private child: ChildProcess | null = null
  private dismissed = false

  constructor(
    /** Without one there is no guard. */
    private readonly reaperEntry: string | undefined,
    private readonly sessionDir: string,
    private readonly sessionId: string,
  ) {}

  /** Starts it unless it runs. A guard that went away is replaced. */
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
    const child = spawn('/bin/sh', args, {
      detached: true,
      cwd: this.sessionDir,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    })
    this.child = child
    child.unref()
    child.stdin?.on('error', () => {})
    child.on('error', () => {})
    child.once('exit', () => {
      this.child = null
      this.watch()
    })
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
