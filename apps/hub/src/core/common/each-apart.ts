/** Runs work on many items one after the other. An item that fails does not stop the others, and the caller gets the error. */
export async function eachApart<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<unknown[]> {
  const errors: unknown[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      errors.push(error)
    }
  }
  return errors
}

export function throwFirst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors[0]
}
