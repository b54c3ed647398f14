/** `940`, `6.2k`, `200k`, `1.5M`. Pure. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count))
  const [value, unit] = count < 999_500 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M']
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`
}
