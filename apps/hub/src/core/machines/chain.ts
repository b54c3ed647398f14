/**
 * JOIN-4: every welcome carries a fresh value, the agent puts it on its disk and then shows the one it had before. A hello
 * that shows anything else comes from a copy or a restored disk, of the agent or of the hub itself.
 *
 * Values given in welcomes whose hello never came stay good, since the agent may have stored any of them. A hello proves
 * that the newest is on its disk: from then on only that one is good. `''` is what a new agent has.
 *
 * A value is signed and counts the agent's connections, so nobody can show one that was never given. One that this hub
 * signed for a connection which it does not remember proves that the hub's own data was put back (REB-2).
 */
import type { KeyObject } from 'node:crypto'
import { isSignedBy, signText } from '@roundhouse/keys'
import { newSecret } from '../common/random'

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

/** `given` is what this connection's welcome carried; `shownFor` the connection that `shown` was signed for, where it was. */
export function chainShown(
  state: ChainState,
  shown: string,
  given: string,
  hubEpoch: string,
  { connEpoch, shownFor }: { connEpoch: number; shownFor: number | null },
): { kind: 'good'; next: ChainState } | { kind: 'cloned' } | { kind: 'hub_restored' } {
  const before = state.chains.filter((value) => value !== given)
  if (state.chainEpoch === hubEpoch && !before.includes(shown)) {
    const isAhead = shown !== given && shownFor !== null && shownFor >= connEpoch
    return { kind: isAhead ? 'hub_restored' : 'cloned' }
  }
  return { kind: 'good', next: { chains: [given], chainEpoch: hubEpoch } }
}

const signedPart = (agentId: string, connEpoch: number | string, random: string) =>
  `agent-chain-v1|${agentId}|${connEpoch}|${random}`

export function makeChainValue(key: KeyObject, agentId: string, connEpoch: number): string {
  const random = newSecret(9)
  return `${connEpoch}.${random}.${signText(key, signedPart(agentId, connEpoch, random))}`
}

/** The connection that this value was signed for; null where it was not, or not by this hub for this agent. */
export function connectionOfChain(publicKey: string, agentId: string, value: string): number | null {
  const [connEpoch = '', random = '', signature = ''] = value.split('.')
  return isSignedBy(publicKey, signedPart(agentId, connEpoch, random), signature) ? Number(connEpoch) : null
}
