/**
 * The last net: trouble of the database that nobody awaited is told and ends no process, since it may be one row of one
 * session. Anything else is a fault of the program, and ends it as always.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { Logger } from 'pino'
import { troubleOf } from './store/sqlite'

export function spreadLastNet(log: Logger): void {
  const caught = (error: unknown) => {
    log.error({ err: error }, 'unexpected error')
    if (!isOfStorage(error)) process.exit(1)
  }
  process.on('uncaughtException', caught)
  process.on('unhandledRejection', caught)
}

const isOfStorage = (error: unknown): boolean =>
  troubleOf(error) !== null || (error instanceof CodedError && error.code.startsWith('STORAGE_'))
