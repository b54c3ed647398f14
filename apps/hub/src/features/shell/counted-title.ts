/** The window's title with the number of questions that wait, so that a tab in the background tells it. Pure. */
export function countedTitle(title: string, waiting: number): string {
  const plain = title.replace(/^\(\d+\) /, '')
  return waiting > 0 ? `(${waiting}) ${plain}` : plain
}
