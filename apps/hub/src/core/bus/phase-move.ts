/** A phase that a peer publishes: whether it may follow, and what the peer becomes (BUS-6). Pure. */
import { judgePhaseMove, type Phase, type PhaseMove, phases } from '@roundhouse/bus'
import type { PeerRow } from '../ports/bus-store'

type Moved = { ok: true; peer: PeerRow } | { ok: false; reason: string }

export const phaseOf = ({ phase }: PeerRow): Phase | null => phases.find((known) => known === phase) ?? null

export function movePhase(peer: PeerRow, move: PhaseMove, now: number): Moved {
  const verdict = judgePhaseMove(phaseOf(peer), move)
  if (!verdict.ok) return verdict
  const { phasesCompleted = [] } = peer.facts
  const left = move.phase === verdict.from || phasesCompleted.includes(verdict.from) ? [] : [verdict.from]
  return {
    ok: true,
    peer: {
      ...peer,
      phase: move.phase,
      facts: { ...peer.facts, phasesCompleted: [...phasesCompleted, ...left], phaseAt: now },
    },
  }
}
