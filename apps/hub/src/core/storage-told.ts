/**
 * Reports the state of the storage to the hub's log and to every page: once when it stops taking writes, and once when
 * it recovers.
 */

import { CodedError } from '@roundhouse/backend-types'
import type { Log } from './common/log'
import type { Doorbells } from './doorbells/doorbells'
import { isTold, type StoragePort } from './ports/storage-port'

interface StorageToldDeps {
  doorbells: Doorbells
  log: Log
  storage: StoragePort
}

export function tellStorage({ storage, doorbells, log }: StorageToldDeps): void {
  storage.onChange((health) => {
    if (health.state === 'ok') log.info({}, 'the storage of the hub takes writes again')
    else if (health.state === 'full') log.error({}, 'the disk of the hub is full: the hub continues when there is room')
    else if (health.state === 'locked')
      log.error({}, 'another program keeps the database of the hub locked: the hub continues when it is released')
    else if (health.state === 'moved')
      log.error(
        {},
        'the database of the hub was moved or removed while the hub ran: put the same file back and the hub goes on, or start the hub again with the one that lies there',
      )
    else log.error({}, 'the disk of the hub fails: the hub continues when writes reach the disk again')
    doorbells.ring('storage', health)
  })
}

/** Damage does not go away, so it is reported once. */
export function createTells(): (error: unknown) => boolean {
  const damages = new Set<string>()
  return (error) => {
    if (isTold(error)) return false
    const at = JSON.stringify(damagedAt(error))
    if (at === undefined) return true
    const isNews = !damages.has(at)
    if (damages.size < 1_000) damages.add(at)
    return isNews
  }
}

/** Undefined if the error is no damage. */
export const damagedAt = (error: unknown): Record<string, unknown> | undefined =>
  error instanceof CodedError && error.code === 'STORAGE_DAMAGED' ? (error.details ?? {}) : undefined
