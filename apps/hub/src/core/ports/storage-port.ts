/** Whether the hub can write, as its store determines. */
import { CodedError } from '@roundhouse/backend-types'

export interface StorageHealth {
  /** `locked`: another program locks the database. `moved`: the file is no longer where it was opened. */
  state: 'ok' | 'full' | 'failing' | 'locked' | 'moved'
  /** Null while the storage works. */
  since: number | null
}

export interface StoragePort {
  health(): StorageHealth
  onChange(listener: (health: StorageHealth) => void): void
  /** Runs once a second: retries writes, and keeps the WAL short. */
  tick(): Promise<void>
}

/** STORE-7: also refuses small writes that the disk would take, because later writes that depend on them may find no room. */
export function requireTaking({ state, since }: StorageHealth): void {
  if (state !== 'ok') throw new CodedError('STORAGE_UNAVAILABLE', undefined, { state, since })
}

/** For an error whose cause was reported when the storage stopped taking writes. */
export const isTold = (error: unknown): boolean => error instanceof CodedError && error.code === 'STORAGE_UNAVAILABLE'

/** For work that may stay undone while the storage takes no writes. */
export function unlessTold(error: unknown): void {
  if (!isTold(error)) throw error
}
