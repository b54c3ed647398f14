/** What stops a run from outside: a signal, a reader of stdout that is gone, an error that nobody expected. */
import { constants } from 'node:os'
import type { LogLine } from '../files/log-line'

export interface Stop {
  signal: AbortSignal
  /** The exit code; null while nothing has stopped the run. */
  readonly code: number | null
}

export function stopOf(own: NodeJS.Process, log: LogLine): Stop {
  const controller = new AbortController()
  let code: number | null = null
  const stop = (exitCode: number) => {
    code ??= exitCode
    controller.abort()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) own.on(name, () => stop(128 + constants.signals[name]))
  own.stdout.on('error', () => stop(1))
  own.on('uncaughtException', (error) => {
    log(`unexpected: ${String(error)}`)
    stop(1)
  })
  return {
    signal: controller.signal,
    get code() {
      return code
    },
  }
}
