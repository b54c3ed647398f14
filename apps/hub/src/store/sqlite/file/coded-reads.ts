/**
 * SQLite answers at once; the ports of the core promise an answer. Whoever asked can tell a damaged place from a fault of
 * the program: errors leave with a code.
 */
import { toStorageError } from './storage-error'

/** A noun of the ports as SQLite reads it. */
export type AtOnce<T> = {
  [Name in keyof T]: T[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer
    : T[Name]
}

type AnyRead = (...args: never[]) => unknown

/** `requireOpen` throws where nothing may be read any more. */
export function codedReads<T extends object>(reads: AtOnce<T>, requireOpen: () => void = () => {}): T {
  return Object.fromEntries(
    Object.entries(reads as Record<string, AnyRead>).map(([name, read]) => [name, coded(read, requireOpen)]),
  ) as T
}

export function coded<Args extends unknown[], Answer>(
  read: (...args: Args) => Answer,
  requireOpen: () => void = () => {},
): (...args: Args) => Promise<Answer> {
  return async (...args) => {
    try {
      requireOpen()
      return read(...args)
    } catch (error) {
      throw toStorageError(error)
    }
  }
}
