/** The simulator can fail: every broken kernel is caught by some seed of the ordinary run. */
import { describe, expect, it } from 'vitest'
import { kernel } from './kernel'
import { type Mutant, mutants } from './mutants'
import { ordinarySeeds } from './seeds.suite'
import { runSeed } from './simulation'

function findingSeed({ foundBy, change }: Mutant): number | null {
  const broken = { ...kernel, ...change }
  if (foundBy <= ordinarySeeds && runSeed(foundBy, { kernel: broken })) return foundBy
  for (let seed = 1; seed <= ordinarySeeds; seed += 1) if (runSeed(seed, { kernel: broken })) return seed
  return null
}

describe('the simulator notices when', () => {
  it.each(mutants)('[$breaks] $what', { timeout: 300_000 }, (mutant) => {
    expect(findingSeed(mutant)).not.toBeNull()
  })
})
