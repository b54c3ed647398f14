/** Cuts texts that are too long for their place, and marks the cut (PERM-7). */

export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')
  return `${start}… [${text.length.toLocaleString('en-US')} characters, cut here]`
}
