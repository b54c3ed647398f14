import type { PermissionOutcome } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type Attempt, type DecisionRegister, decide } from './decide'

const allow: Attempt = { decision: 'allow', digest: 'd' }
const deny: Attempt = { decision: 'deny', digest: 'd' }
const register = (over: Partial<DecisionRegister> = {}): DecisionRegister => ({
  decision: null,
  outcome: 'open',
  digest: 'd',
  ...over,
})

describe('decide', () => {
  it('[PERM-1.6] of two opposite answers the first wins and the second learns it', () => {
    const first = decide(register(), deny)
    expect(first).toEqual({ kind: 'won', register: register({ decision: deny }) })
    const second = first.kind === 'won' ? decide(first.register, allow) : null
    expect(second).toEqual({ kind: 'lost', error: 'PERMISSION_ALREADY_DECIDED' })
  })

  it('[PERM-2.1] a decision on another digest than the open one is refused', () => {
    expect(decide(register(), { ...allow, digest: 'old' })).toEqual({ kind: 'lost', error: 'DIGEST_MISMATCH' })
  })

  const late: Record<Exclude<PermissionOutcome, 'open'>, 'REQUEST_GONE'> = {
    applied: 'REQUEST_GONE',
    refused: 'REQUEST_GONE',
    expired: 'REQUEST_GONE',
    withdrawn: 'REQUEST_GONE',
    orphaned: 'REQUEST_GONE',
    superseded: 'REQUEST_GONE',
    outcome_unknown: 'REQUEST_GONE',
  }
  it.each(Object.entries(late))('[PERM-3] a request that is %s can no more be decided: %s', (outcome, error) => {
    expect(decide(register({ outcome: outcome as PermissionOutcome }), allow)).toEqual({ kind: 'lost', error })
  })
})
