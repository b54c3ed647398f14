/**
 * JOIN-4: every welcome carries a fresh value. The agent writes it to its disk and then shows the value that it had
 * before. A hello that shows anything else comes from a copy or a restored disk, of the agent or of the hub itself.
 *
 * Values of welcomes whose hello never came stay valid, because the agent may have stored any of them. A hello proves
 * that the newest is on its disk; from then on only that one is valid. A new agent has `''`.
 *
 * A value is signed and counts the agent's connections, so nobody can invent one. A value that this hub signed for a
 * connection that it does not remember proves that the hub's own data was restored (REB-2).
 */
import type { KeyObject } from 'node:crypto'
import { isSignedBy, signText } from '@roundhouse/keys'
import { newSecret } from '../common/random'
import type { MachineChain } from '../ports/machine-store'

/** An agent that never sends its hello must not grow the row. */
const KEPT = 32

export const newChain: MachineChain = { chains: [''], chainEpoch: '' }

export function chainGiven(state: MachineChain, given: string): MachineChain {
  return { ...state, chains: [...state.chains, given].slice(-KEPT) }
}

/** `given`: the value in this connection's welcome. `shownFor`: the connection for which `shown` was signed, if any. */
export function chainShown(
  state: MachineChain,
  shown: string,
  given: string,
  hubEpoch: string,
  { connEpoch, shownFor }: { connEpoch: number; shownFor: number | null },
): { kind: 'good'; next: MachineChain } | { kind: 'cloned' } | { kind: 'hub_restored' } {
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

/** The connection for which this value was signed. Null if this hub did not sign it for this agent. */
export function connectionOfChain(publicKey: string, agentId: string, value: string): number | null {
  const [connEpoch = '', random = '', signature = ''] = value.split('.')
  return isSignedBy(publicKey, signedPart(agentId, connEpoch, random), signature) ? Number(connEpoch) : null
}
