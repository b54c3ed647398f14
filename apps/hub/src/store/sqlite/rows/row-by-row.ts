/** Reads rows of many sessions, even if some of the rows are damaged. */

/**
 * All at once where that is possible, otherwise each alone by its number, which an index gives without a look at the rows.
 * What cannot be read is left out.
 */
export function rowByRow<Row>(
  all: () => Row[],
  numbers: () => number[],
  one: (rowid: number) => Row | undefined,
): Row[] {
  return readable(all) ?? (readable(numbers) ?? []).flatMap((rowid) => readable(() => one(rowid)) ?? [])
}

export function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
