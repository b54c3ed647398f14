/** Work on many, of which one may fail: the others have theirs all the same, and whoever asked hears of the failure. */
export function eachApart<T>(items: Iterable<T>, work: (item: T) => void): unknown[] {
  const errors: unknown[] = []
  for (const item of items) {
    try {
      work(item)
    } catch (error) {
      errors.push(error)
    }
  }
  return errors
}

export function throwFirst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors[0]
}
