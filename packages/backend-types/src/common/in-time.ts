/** Limits the time of an operation on a path: a path on a disk that is gone never answers (FLOW-7). */
import { CodedError } from './errors'
import { isLack } from './lack'

const LIMIT_MS = 3_000

/** Rejects with `FOLDER_UNAVAILABLE`, which names the path; the operation keeps waiting. */
export function inTime<T>(path: string, asked: Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CodedError('FOLDER_UNAVAILABLE', `${path} does not answer.`, { path })),
      limitMs,
    )
  })
  return Promise.race([asked, late]).finally(() => clearTimeout(timer))
}

const noAnswer: ReadonlySet<string> = new Set(['FOLDER_UNAVAILABLE', 'BACKEND_TIMEOUT'])

/** The path did not answer, or could not be checked: this does not say whether it exists. */
export const isUnanswered = (error: unknown): boolean =>
  isLack(error) || (error instanceof CodedError && noAnswer.has(error.code))
