/** A duration without the time in which a person was awaited. Pure. */

export interface Wait {
  from: number
  to: number
}

/** If waits overlap, no moment counts twice. */
export function timeWithout(waits: readonly Wait[], from: number, to: number): number {
  let waited = 0
  let until = from
  for (const wait of [...waits].sort((a, b) => a.from - b.from)) {
    const [start, end] = [Math.max(wait.from, until), Math.min(wait.to, to)]
    if (end <= start) continue
    waited += end - start
    until = end
  }
  return to - from - waited
}
