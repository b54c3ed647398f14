/** Work on many, one after the other, of which one may fail: the others have theirs all the same, and whoever asked hears of the failure. */
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
