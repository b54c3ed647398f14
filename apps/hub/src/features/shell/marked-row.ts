/**
 * The row that Enter opens. Results come after the text that asked for them, and the row that was marked may be gone by
 * then: the first row takes its place. Pure.
 */
export function markedRow(rows: readonly string[], marked: string | undefined): string {
  return marked !== undefined && rows.includes(marked) ? marked : (rows[0] ?? '')
}
