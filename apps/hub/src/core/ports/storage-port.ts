/** Whether the hub can write, as its store finds out. */
import { CodedError } from '@roundhouse/backend-types'

export interface StorageHealth {
  /** `locked`: another program keeps the database to itself. `moved`: its file is not where it was opened. */
  state: 'ok' | 'full' | 'failing' | 'locked' | 'moved'
  /** Null while all is well. */
  since: number | null
}

export interface StoragePort {
  health(): StorageHealth
  onChange(listener: (health: StorageHealth) => void): void
  /** Once a second: tries whether it goes on, and keeps the file close behind the WAL. */
  tick(): Promise<void>
}

/** STORE-7: also where the disk would take something small. What followed from it might find no room. */
export function requireTaking({ state, since }: StorageHealth): void {
  if (state !== 'ok') throw new CodedError('STORAGE_UNAVAILABLE', undefined, { state, since })
}

/** Of an error whose cause was told when the storage ceased to take writes. */
export const isTold = (error: unknown): boolean => error instanceof CodedError && error.code === 'STORAGE_UNAVAILABLE'

/** For what may stay undone while the storage takes no writes. */
export function unlessTold(error: unknown): void {
  if (!isTold(error)) throw error
}
