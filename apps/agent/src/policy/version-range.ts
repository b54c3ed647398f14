/** The versions of a program that the owner allows: `>=2.1 <3`, every condition must hold. Pure. */
const COMPARATOR = /^(>=|<=|>|<|=)?(\d+(?:\.\d+){0,2})$/

/** The first run of numbers with a dot in what a program says of itself: `2.1.197 (Claude Code)`, `codex-cli 0.169.0`. */
const VERSION = /\d+(?:\.\d+)+/

export const isVersionRange = (range: string): boolean => {
  const words = range.trim().split(/\s+/)
  return words.every((word) => COMPARATOR.test(word))
}

/** False also for a version that cannot be read. `=2.1` and `2.1` stand for every 2.1.x. */
export function isInRange(version: string, range: string): boolean {
  const found = VERSION.exec(version)?.[0]
  if (found === undefined || !isVersionRange(range)) return false
  return range
    .trim()
    .split(/\s+/)
    .every((word) => holds(found, word))
}

function holds(found: string, word: string): boolean {
  const [, sign = '=', wanted = ''] = COMPARATOR.exec(word) ?? []
  switch (sign) {
    case '>=':
      return compare(found, wanted) >= 0
    case '<=':
      return compare(found, wanted) <= 0
    case '>':
      return compare(found, wanted) > 0
    case '<':
      return compare(found, wanted) < 0
    default:
      return compare(numbers(found).slice(0, numbers(wanted).length).join('.'), wanted) === 0
  }
}

const numbers = (version: string): number[] => version.split('.').map(Number)

function compare(left: string, right: string): number {
  const [a, b] = [numbers(left), numbers(right)]
  const at = [0, 1, 2].find((index) => (a[index] ?? 0) !== (b[index] ?? 0))
  return at === undefined ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
