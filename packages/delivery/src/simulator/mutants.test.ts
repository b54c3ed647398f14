/** The simulator can fail: every broken kernel is caught by some seed of the ordinary run. */
import { describe, expect, it } from 'vitest'
import { kernel } from './kernel'
import { linkMutants } from './link-mutants'
import { type Mutant, mutants } from './mutants'
import { ordinarySeeds } from './seeds.suite'
import { runSeed } from './simulation'
import { viewerMutants } from './viewer-mutants'

function findingSeed({ what, foundBy, change }: Mutant): number | null {
  const broken = { ...kernel, ...change }
  if (foundBy <= ordinarySeeds && runSeed(foundBy, { kernel: broken })) return foundBy
  for (let seed = 1; seed <= ordinarySeeds; seed += 1) {
    if (!runSeed(seed, { kernel: broken })) continue
    console.log(`"${what}" is found by seed ${seed} now; the search for it takes long`)
    return seed
  }
  return null
}

describe('the simulator notices when', () => {
  const named = [...mutants, ...viewerMutants, ...linkMutants].map(
    (mutant) => [mutant.breaks, mutant.what, mutant] as const,
  )
  it.each(named)('[%s] %s', { timeout: 300_000 }, (_breaks, _what, mutant) => {
    expect(findingSeed(mutant)).not.toBeNull()
  })
})
