/**
 * The phase machine of a worker, as one table:
 *
 *     PLAN -> SPAWN -> DEPLOY -> OBSERVE -> HARVEST -> CLEANUP -> REFLECT
 *               ^         ^         |
 *               |         +-RECOVER-+        RECOVER: from SPAWN, DEPLOY, OBSERVE, and back to each
 *               +-------------------+        FAILED: from each phase that is not terminal
 *
 * Where the convention's picture, list and example disagree: docs/decisions/a-move-that-either-page-allows.md.
 */
export const phases = [
  'PLAN',
  'SPAWN',
  'DEPLOY',
  'OBSERVE',
  'RECOVER',
  'HARVEST',
  'CLEANUP',
  'REFLECT',
  'FAILED',
] as const
export type Phase = (typeof phases)[number]

export const phaseMoves: Readonly<Record<Phase, readonly Phase[]>> = {
  PLAN: ['SPAWN', 'FAILED'],
  SPAWN: ['DEPLOY', 'RECOVER', 'FAILED'],
  DEPLOY: ['OBSERVE', 'RECOVER', 'FAILED'],
  OBSERVE: ['SPAWN', 'HARVEST', 'RECOVER', 'FAILED'],
  RECOVER: ['SPAWN', 'DEPLOY', 'OBSERVE', 'FAILED'],
  HARVEST: ['CLEANUP', 'FAILED'],
  CLEANUP: ['REFLECT', 'FAILED'],
  REFLECT: [],
  FAILED: [],
}

/** Before a program says anything. */
export const FIRST_PHASE: Phase = 'PLAN'

export const isTerminalPhase = (phase: Phase): boolean => phaseMoves[phase].length === 0

export interface PhaseMove {
  phase: Phase
  prev: Phase
}

/** `ok` has the phase from which the move counts; a refusal has a sentence for `system.gate.fired`. */
export type PhaseVerdict = { ok: true; from: Phase } | { ok: false; reason: string }

/**
 * `current` is null until the worker published a phase in this life. Its first message may then be the announcement of PLAN,
 * or leave from PLAN or a phase right after it: the convention's own example begins `DEPLOY` with `prev: SPAWN`. Afterwards
 * only what was published counts, so `prev` cannot talk a worker out of a terminal phase.
 */
export function judgePhaseMove(current: Phase | null, { phase, prev }: PhaseMove): PhaseVerdict {
  if (current === null && phase === FIRST_PHASE) return { ok: true, from: FIRST_PHASE }
  const mayHavePassed = prev === FIRST_PHASE || phaseMoves[FIRST_PHASE].includes(prev)
  const from = current ?? (mayHavePassed ? prev : FIRST_PHASE)
  if (phaseMoves[from].includes(phase)) return { ok: true, from }
  const allowed = phaseMoves[from].join(', ') || 'nothing: it is terminal'
  return { ok: false, reason: `${from} does not lead to ${phase}. It leads to ${allowed}.` }
}

/**
 * `phases_completed`: the phases in which a worker was in its life. `before` is what an earlier call gave. A life begins in PLAN, and
 * the phase that is entered counts: so it is in both of the convention's examples.
 */
export function phasesCompleted(before: readonly string[], ...then: readonly (Phase | null)[]): Phase[] {
  const passed = new Set<string | null>([FIRST_PHASE, ...before, ...then])
  return [...passed].flatMap((word) => phases.find((phase) => phase === word) ?? [])
}
