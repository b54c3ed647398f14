/** Reads whose errors leave with a code: whoever asked can tell a damaged place from a fault of the program. */
import { toStorageError } from '../file/storage-error'

export function codedReads<T extends object>(reads: T): T {
  return Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, coded(read)])) as T
}

export function coded<Args extends unknown[], Answer>(read: (...args: Args) => Answer): (...args: Args) => Answer {
  return (...args) => {
    try {
      const answer = read(...args)
      return answer instanceof Promise ? (answer.catch(refuse) as Answer) : answer
    } catch (error) {
      return refuse(error)
    }
  }
}

const refuse = (error: unknown): never => {
  throw toStorageError(error)
}
