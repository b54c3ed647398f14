/**
 * The item to which a key moves in a menu with these names, or `null`. Arrow keys wrap around; a letter moves to the next
 * name that begins with it. Pure.
 */
export function menuStep(names: readonly string[], from: number, key: string): number | null {
  const last = names.length - 1
  if (last < 0) return null
  if (key === 'ArrowDown') return from >= last ? 0 : from + 1
  if (key === 'ArrowUp') return from <= 0 ? last : from - 1
  if (key === 'Home') return 0
  if (key === 'End') return last
  if (!/^\S$/u.test(key)) return null
  const after = names.map((_, n) => (from + 1 + n) % names.length)
  return after.find((n) => names[n]?.toLowerCase().startsWith(key.toLowerCase())) ?? null
}
