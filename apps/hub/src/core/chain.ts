/**
 * JOIN-4: every welcome carries a fresh random value, the agent puts it on its disk and then shows the one it had before.
 * A hello that shows anything else comes from a copy or a restored disk. Pure.
 *
 * Values given in welcomes whose hello never came stay good, since the agent may have stored any of them. A hello proves
 * that the newest is on its disk: from then on only that one is good. `''` is what a new agent has.
 */
export interface ChainState {
  /** What the next hello may show. */
  chains: readonly string[]
  /** The hub's epoch at the last hello: after a restore the hub's own memory proves nothing. */
  chainEpoch: string
}

/** An agent that never comes to its hello must not grow the row. */
const KEPT = 32

export const newChain: ChainState = { chains: [''], chainEpoch: '' }

export function chainGiven(state: ChainState, given: string): ChainState {
  return { ...state, chains: [...state.chains, given].slice(-KEPT) }
}

/** `given` is what this connection's welcome carried. */
export function chainShown(
  state: ChainState,
  shown: string,
  given: string,
  hubEpoch: string,
): { kind: 'good'; next: ChainState } | { kind: 'cloned' } {
  const before = state.chains.filter((value) => value !== given)
  if (state.chainEpoch === hubEpoch && !before.includes(shown)) return { kind: 'cloned' }
  return { kind: 'good', next: { chains: [given], chainEpoch: hubEpoch } }
}
