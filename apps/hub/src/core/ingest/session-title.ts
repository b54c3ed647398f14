/** The title of a session that nobody named: the beginning of a text, up to the end of a word. Pure. */
import { oneLine } from '@roundhouse/delivery'

export function titleIn(text: string, limit: number): string {
  const flat = oneLine(text, limit + 2)
  if (flat.length <= limit) return flat
  const begun = oneLine(flat, limit - 1)
  const end = begun.endsWith(' ') || flat[begun.length] === ' ' ? begun.length : begun.lastIndexOf(' ')
  // A single long word is cut, rather than left out.
  const whole = end > limit / 2 ? begun.slice(0, end) : begun
  return `${whole.trimEnd().replace(/[,;:–-]$/, '')}…`
}
