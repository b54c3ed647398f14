/**
 * `up`: runs the daemon in the foreground and handles its signals:
 *
 *   SIGINT            ends its sessions within 8 s, then by the reaper; a second SIGINT exits at once and leaves them running
 *   SIGTERM, SIGHUP   exits and leaves the sessions running for the next start; with `--own-sessions`, ends them too
 */
import { CodedError } from '@roundhouse/backend-types'
import type { Daemon } from '../daemon/daemon'
import type { LogLine } from '../files/log-line'
import { exitCodeOf, FAILED, OK } from './exit-codes'

const END_LIMIT_MS = 8_000

export function requireOrdinaryUser(allowRoot: boolean, log: LogLine): void {
  if (process.getuid?.() !== 0) return
  if (allowRoot) {
    log('running as root: programs that sessions start can change everything on this machine')
    return
  }
  throw new CodedError(
    'FORBIDDEN',
    'The agent should not run as root: programs of sessions could change everything here. Use an ordinary user. If there is none, add --allow-root.',
  )
}

export interface Foreground {
  /** Resolves with the exit code when the daemon has ended. */
  ended: Promise<number>
  /** For the composition root: the hub revoked this agent. */
  revoked(): void
}

/** Installs the signal handlers. `leaveAtOnce` ends the process. */
export function runInForeground(
  daemon: Daemon,
  ownSessions: boolean,
  log: LogLine,
  leaveAtOnce: (code: number) => void,
): Foreground {
  let ending = false
  let settle: (code: number) => void = () => {}
  const ended = new Promise<number>((resolve) => {
    settle = resolve
  })
  const finish = (work: Promise<void>) => {
    ending = true
    work.then(
      () => settle(OK),
      (error: unknown) => {
        log(String(error))
        settle(FAILED)
      },
    )
  }
  const endSessions = () => {
    const live = daemon.liveSessions()
    if (live.length > 0) {
      log(`ending ${live.length === 1 ? 'one session' : `${live.length} sessions`}, at most ${END_LIMIT_MS / 1000} s`)
    }
    finish(daemon.endSessions(END_LIMIT_MS))
  }
  process.on('SIGINT', () => {
    if (!ending) {
      endSessions()
      return
    }
    log('exited at once; sessions may still be running. To end them: roundhouse-agent stop --sessions')
    leaveAtOnce(130)
  })
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending) return
      if (ownSessions) endSessions()
      else finish(daemon.leave())
    })
  }
  // After an unexpected error the daemon leaves: the sessions are worth more than this process.
  process.on('uncaughtException', (error) => {
    if (daemon.outlives(error)) {
      log(`a task failed: ${error.stack ?? error.message}`)
      return
    }
    log(`unexpected: ${error.stack ?? error.message}`)
    const end = ownSessions ? daemon.endSessions(END_LIMIT_MS) : daemon.leave()
    void end.catch(() => {}).then(() => leaveAtOnce(FAILED))
  })
  return { ended, revoked: () => settle(exitCodeOf('AGENT_REVOKED')) }
}
