/** Limits the time of an operation on a path: a path on a disk that is gone never answers (FLOW-7). */
import { CodedError } from './errors'
import { isLack } from './lack'

const LIMIT_MS = 3_000

/** Rejects with `FOLDER_UNAVAILABLE`, which names the path; what was asked goes on waiting. */
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

/** Whoever was asked did not answer, or nobody could ask: that says nothing of whether it is there. */
export const isUnanswered = (error: unknown): boolean =>
  isLack(error) || (error instanceof CodedError && noAnswer.has(error.code))
