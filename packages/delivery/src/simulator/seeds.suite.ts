/** The ordinary run, in pieces, so that two workers share it and a failure names its seeds. */
import { describe, expect, it } from 'vitest'
import { replayLine, runSeed } from './simulation'

export const ordinarySeeds = 3_000
const pieceSize = 100

export function itKeepsItsPromises(from: number, upTo: number): void {
  const pieces = Array.from({ length: Math.ceil((upTo - from + 1) / pieceSize) }, (_, piece) => {
    const first = from + piece * pieceSize
    return { first, last: Math.min(first + pieceSize - 1, upTo) }
  })
  describe('[I1] [I2] [I3] [I4] [I5] [I6] [I7] [I8] [I11] whatever breaks and however, all ends agree in the end', () => {
    it.each(pieces)('seeds $first to $last', { timeout: 120_000 }, ({ first, last }) => {
      const failures: string[] = []
      for (let seed = first; seed <= last; seed += 1) {
        const violation = runSeed(seed)
        if (violation) failures.push(`seed ${seed}: ${violation.message}\n  replay: ${replayLine(seed)}`)
      }
      expect(failures.join('\n')).toBe('')
    })
  })
}
