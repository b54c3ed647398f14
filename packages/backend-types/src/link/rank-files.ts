/** Ranks files by what a person typed after `@`. The machine uses it, and a page while it waits for the machine. */

/** The best first; of equals the nearest, then by name. */
export function rankFiles(files: readonly string[], query: string, most: number): string[] {
  const wanted = query.toLowerCase()
  return files
    .map((file) => ({ file, rank: rankOf(file.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank < 5)
    .sort((a, b) => a.rank - b.rank || depthOf(a.file) - depthOf(b.file) || (a.file < b.file ? -1 : 1))
    .slice(0, most)
    .map(({ file }) => file)
}

function depthOf(file: string): number {
  let depth = 0
  for (let at = file.indexOf('/'); at >= 0; at = file.indexOf('/', at + 1)) depth++
  return depth
}

function rankOf(file: string, wanted: string): number {
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (file.startsWith(wanted)) return 0
  if (name.startsWith(wanted)) return 1
  if (name.includes(wanted)) return 2
  if (file.includes(wanted)) return 3
  return hasInOrder(file, wanted) ? 4 : 5
}

function hasInOrder(file: string, wanted: string): boolean {
  let from = 0
  for (const char of wanted) {
    const at = file.indexOf(char, from)
    if (at < 0) return false
    from = at + char.length
  }
  return true
}
