import { describe, expect, it } from 'vitest'
import { isTerminalPhase, judgePhaseMove, type Phase, phaseMoves, phases, phasesCompleted } from './phases'

/** Every cell: `x` is a move. */
const cells: Readonly<Record<Phase, string>> = {
  //         PLAN SPAWN DEPLOY OBSERVE RECOVER HARVEST CLEANUP REFLECT FAILED
  PLAN: '    .    x     .      .       .       .       .       .       x',
  SPAWN: '   .    .     x      .       x       .       .       .       x',
  DEPLOY: '  .    .     .      x       x       .       .       .       x',
  OBSERVE: ' .    x     .      .       x       x       .       .       x',
  RECOVER: ' .    x     x      x       .       .       .       .       x',
  HARVEST: ' .    .     .      .       .       .       x       .       x',
  CLEANUP: ' .    .     .      .       .       .       .       x       x',
  REFLECT: ' .    .     .      .       .       .       .       .       .',
  FAILED: '  .    .     .      .       .       .       .       .       .',
}

describe('[BUS-6] the phase machine', () => {
  it.each(phases)('from %s takes the moves of the table and no other', (from) => {
    const marks = cells[from].trim().split(/\s+/)
    const taken = phases.map((phase) => (judgePhaseMove(from, { phase, prev: from }).ok ? 'x' : '.'))
    expect(taken).toEqual(marks)
  })

  it('ends in REFLECT and FAILED', () => {
    expect(phases.filter(isTerminalPhase)).toEqual(['REFLECT', 'FAILED'])
  })

  it('says where a phase leads when it refuses', () => {
    expect(judgePhaseMove('HARVEST', { phase: 'DEPLOY', prev: 'HARVEST' })).toEqual({
      ok: false,
      reason: 'HARVEST does not lead to DEPLOY. It leads to CLEANUP, FAILED.',
    })
    expect(judgePhaseMove('REFLECT', { phase: 'PLAN', prev: 'REFLECT' })).toMatchObject({ ok: false })
  })

  it('believes no `prev` once a phase was published: nobody leaves a terminal one', () => {
    expect(judgePhaseMove('FAILED', { phase: 'DEPLOY', prev: 'SPAWN' }).ok).toBe(false)
    expect(judgePhaseMove('DEPLOY', { phase: 'OBSERVE', prev: 'PLAN' })).toEqual({ ok: true, from: 'DEPLOY' })
  })
})

describe('[BUS-6.5] `phases_completed`', () => {
  it("is what the convention's examples have: from PLAN to the phase that was entered", () => {
    expect(phasesCompleted([], 'SPAWN', 'DEPLOY')).toEqual(['PLAN', 'SPAWN', 'DEPLOY'])
    const all: Phase[] = ['SPAWN', 'DEPLOY', 'OBSERVE', 'HARVEST', 'CLEANUP', 'REFLECT']
    const passed = all.reduce<Phase[]>((before, phase) => phasesCompleted(before, phase), [])
    expect(passed).toEqual(['PLAN', ...all])
  })

  it('names each phase once, and PLAN for a worker that said nothing', () => {
    expect(phasesCompleted([], null)).toEqual(['PLAN'])
    expect(phasesCompleted(['PLAN', 'SPAWN', 'DEPLOY', 'OBSERVE'], 'OBSERVE', 'SPAWN')).toEqual([
      'PLAN',
      'SPAWN',
      'DEPLOY',
      'OBSERVE',
    ])
  })

  it('takes no word of another version', () => {
    expect(phasesCompleted(['PLAN', 'LUNCH'], 'SPAWN')).toEqual(['PLAN', 'SPAWN'])
  })
})

describe('a move that either page allows', () => {
  it('FAILED is reached from PLAN', () => {
    expect(phaseMoves.PLAN).toContain('FAILED')
  })

  it('OBSERVE leads back to SPAWN', () => {
    expect(phaseMoves.OBSERVE).toContain('SPAWN')
  })

  it('RECOVER leads back to SPAWN', () => {
    expect(phaseMoves.RECOVER).toContain('SPAWN')
  })

  it('the first phase may be DEPLOY, with prev SPAWN', () => {
    expect(judgePhaseMove(null, { phase: 'DEPLOY', prev: 'SPAWN' })).toEqual({ ok: true, from: 'SPAWN' })
    expect(judgePhaseMove(null, { phase: 'PLAN', prev: 'PLAN' })).toEqual({ ok: true, from: 'PLAN' })
    expect(judgePhaseMove(null, { phase: 'REFLECT', prev: 'CLEANUP' }).ok).toBe(false)
  })
})
