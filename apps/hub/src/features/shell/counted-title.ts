/** The window's title with the number of waiting requests, visible in a background tab. Pure. */
export function countedTitle(title: string, waiting: number): string {
  const plain = title.replace(/^\(\d+\) /, '')
  return waiting > 0 ? `(${waiting}) ${plain}` : plain
}
