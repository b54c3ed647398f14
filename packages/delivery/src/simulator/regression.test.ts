/** Seeds that once broke a promise, by what was wrong then. A seed tells its story as long as the simulator stays as it is. */
import { describe, expect, it } from 'vitest'
import { runSeed } from './simulation'

const seeds: Array<[number, string]> = [
  [10_691, 'a conflicting batch that came again after the rebase stopped the session for good'],
  [11_533, 'an agent with nothing to send never noticed that a newer connection had fenced it'],
  [15_349, 'a hub went back to an old state and then forward to a newer one, and two numberings met'],
  [17_181, 'the first events of a new log were taken for those that a pruned gap stands for'],
  [115_123, 'events were pruned on the word of a hub epoch that was over'],
  [5_658, 'a decision that ran in the lost time of a log was called back and shown as one that never ran'],
  [10_476, 'a hub that was put back by hand waited for the end of a command that it had already heard of'],
]

describe('what went wrong once', () => {
  it.each(seeds)('seed %i: %s', (seed) => {
    expect(runSeed(seed)).toBeNull()
  })
})
