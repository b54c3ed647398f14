/** A phase that a peer publishes: whether it may follow, and what the peer becomes (BUS-6). Pure. */
import { FIRST_PHASE, judgePhaseMove, type Phase, type PhaseMove, phases, phasesCompleted } from '@roundhouse/bus'
import type { PeerRow } from '../../ports/bus-store'

type Moved = { ok: true; peer: PeerRow } | { ok: false; reason: string }

export const phaseOf = ({ phase }: PeerRow): Phase | null => phases.find((known) => known === phase) ?? null

/** `forced`: the session host says that an orchestrator wants the program there. Of other programs the peer knows it. */
export function movePhase(peer: PeerRow, move: PhaseMove, now: number, forced = false): Moved {
  const { forcedPhase, ...facts } = peer.facts
  const judged = judgePhaseMove(phaseOf(peer), move)
  const isForced = forced || forcedPhase === move.phase
  if (!judged.ok && !isForced) return judged
  const from = judged.ok ? judged.from : (phaseOf(peer) ?? FIRST_PHASE)
  const passed = phasesCompleted(facts.phasesCompleted ?? [], from, move.phase)
  return {
    ok: true,
    peer: {
      ...peer,
      phase: move.phase,
      facts: { ...facts, phasesCompleted: passed, phaseAt: now },
    },
  }
}
