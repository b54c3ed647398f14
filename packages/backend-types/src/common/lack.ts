/**
 * Recognises the system's errors for a lack of processes or open files. The lack is temporary: what could not be started or
 * read is neither missing nor damaged, and is tried again.
 */
const lacking: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ENOBUFS', 'OUT_OF_RESOURCES'])

/** The name of it, also where it is what the error was caused by; null where it is another error. */
export function lackOf(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && lacking.has(cause.code)) return String(cause.code)
  }
  return null
}

export const isLack = (error: unknown): boolean => lackOf(error) !== null
