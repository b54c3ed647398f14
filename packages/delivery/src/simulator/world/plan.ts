/**
 * What a seed has in store. Each kind of trouble is on in some seeds and off in others, so that rare combinations are not
 * drowned by common ones.
 */
import type { Rng } from './rng'

export interface Plan {
  agents: number
  sessionsPerAgent: number
  viewers: number
  /** How long there are faults. */
  faultMs: number
  latencyMs: readonly [number, number]
  flushMs: readonly [number, number]
  drop: number
  duplicate: number
  late: number
  reorder: boolean
  /** Chance that a viewer's queue is full when something is to be sent (VIEW-4). */
  lag: number
  /** Chance that the hub cannot judge a session, or take a batch, for a reason that passes (FLOW-3). */
  balk: number
  /** Chance of dying at each named point. */
  pointCrash: number
  /** Mean milliseconds between faults of a kind; 0 is never. */
  every: Readonly<Record<FaultKind, number>>
  /** Who puts the hub back: the restore command, which changes the epoch, or somebody by hand (REB-2). */
  restoredBy: 'command' | 'hand'
}

export const faultKinds = [
  'hubCrash',
  'daemonCrash',
  'hostCrash',
  'powerCut',
  'partition',
  'hubRestore',
  'logLoss',
  'prune',
  'fullDisk',
  'viewerReload',
] as const
export type FaultKind = (typeof faultKinds)[number]

const meanMs: Record<FaultKind, readonly [number, number]> = {
  hubCrash: [1_500, 5_000],
  daemonCrash: [1_500, 5_000],
  hostCrash: [1_500, 5_000],
  powerCut: [3_000, 8_000],
  partition: [1_500, 5_000],
  hubRestore: [3_000, 8_000],
  logLoss: [3_000, 8_000],
  prune: [1_000, 3_000],
  fullDisk: [2_000, 6_000],
  viewerReload: [1_500, 5_000],
}

export function planOf(rng: Rng): Plan {
  const maybe = (probability: number, low: number, high: number) =>
    rng.chance(probability) ? rng.between(low, high) : 0
  const every = {} as Record<FaultKind, number>
  for (const kind of faultKinds) every[kind] = maybe(0.4, ...meanMs[kind])
  const restoredBy = rng.chance(0.5) ? 'command' : 'hand'
  // A hub that is put back unnoticed and a log that lost its end at once cannot be told from each other by numbers.
  if (restoredBy === 'hand' && every.hubRestore > 0) every.logLoss = 0
  const slowDisk = rng.chance(0.25)
  return {
    agents: rng.between(1, 2),
    sessionsPerAgent: rng.chance(0.7) ? 1 : 2,
    viewers: rng.between(2, 3),
    faultMs: rng.between(5_000, 15_000),
    latencyMs: [rng.between(1, 10), rng.between(10, 120)],
    flushMs: slowDisk ? [20, 400] : [1, 20],
    drop: maybe(0.4, 1, 10) / 100,
    duplicate: maybe(0.5, 1, 20) / 100,
    late: maybe(0.3, 1, 10) / 100,
    reorder: rng.chance(0.3),
    lag: maybe(0.4, 1, 20) / 100,
    balk: maybe(0.3, 1, 15) / 100,
    pointCrash: maybe(0.5, 1, 4) / 100,
    every,
    restoredBy,
  }
}
