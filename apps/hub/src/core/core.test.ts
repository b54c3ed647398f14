import { Role } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { type Action, can } from './access'
import { type ChainState, chainGiven, chainShown, newChain } from './chain'
import { isTooDeepText, isTooDeepValue, MAX_DEPTH } from './depth'
import { makeToken, parseToken } from './enrollment-token'
import { Rev } from './revs'

describe('who may do what', () => {
  const allowed: Record<Role, Action[]> = {
    owner: ['session.read', 'session.prompt', 'permission.decide', 'agent.manage', 'token.manage', 'user.manage'],
    admin: ['session.read', 'session.prompt', 'permission.decide', 'agent.manage', 'token.manage', 'user.manage'],
    operator: ['session.read', 'session.prompt', 'permission.decide'],
    approver: ['session.read', 'permission.decide'],
    viewer: ['session.read'],
  }
  const asked: Action[] = allowed.owner

  it.each(Role.options)('%s', (role) => {
    const actor = { userId: 'u', name: 'U', role }
    expect(asked.filter((action) => can(actor, action))).toEqual(allowed[role])
  })
})

describe('the chain of an agent', () => {
  const shows = (state: ChainState, shown: string, given: string, epoch = 'e1') => {
    const judged = chainShown(state, shown, given, epoch)
    return judged.kind === 'good' ? judged.next : judged.kind
  }
  const fresh = shows(chainGiven(newChain, 'c1'), '', 'c1') as ChainState

  it('[JOIN-4] after a hello only the newest value is good', () => {
    expect(fresh).toEqual({ chains: ['c1'], chainEpoch: 'e1' })
    expect(shows(chainGiven(fresh, 'c2'), 'c1', 'c2')).toEqual({ chains: ['c2'], chainEpoch: 'e1' })
    expect(shows(chainGiven(fresh, 'c2'), '', 'c2')).toBe('cloned')
    expect(shows(chainGiven(fresh, 'c2'), 'c2', 'c2')).toBe('cloned')
  })

  it('[JOIN-4] values of welcomes whose hello never came stay good', () => {
    const twice = chainGiven(chainGiven(fresh, 'c2'), 'c3')
    expect([shows(twice, 'c1', 'c3'), shows(twice, 'c2', 'c3')]).toEqual(
      Array(2).fill({ chains: ['c3'], chainEpoch: 'e1' }),
    )
  })

  it('[JOIN-4] a change of the hub epoch skips the check once', () => {
    const next = shows(chainGiven(fresh, 'c2'), 'whatever', 'c2', 'e2')
    expect(next).toEqual({ chains: ['c2'], chainEpoch: 'e2' })
    expect(shows(chainGiven(next as ChainState, 'c3'), 'whatever', 'c3', 'e2')).toBe('cloned')
  })
})

describe('an enrollment token', () => {
  it('[JOIN-1] is known by its prefix and checksum, and every slip of the pen is found', () => {
    const { token, tokenId, secretHash } = makeToken()
    expect(token).toMatch(/^rhe_[A-Za-z0-9]{10}_[A-Za-z0-9_-]{43}_[A-Za-z0-9]{6}$/)
    expect(parseToken(` ${token}\n`)).toEqual({ tokenId, secretHash })
    for (let i = 0; i < token.length; i += 1) {
      const other = token[i] === 'x' ? 'y' : 'x'
      expect(parseToken(token.slice(0, i) + other + token.slice(i + 1))).toBeNull()
    }
  })
})

describe('depth', () => {
  const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`

  it('[T2] is judged on the text without parsing it, brackets in strings not counted', () => {
    expect([isTooDeepText(nested(MAX_DEPTH)), isTooDeepText(nested(MAX_DEPTH + 2))]).toEqual([false, true])
    expect(isTooDeepText(JSON.stringify({ a: `\\"${'['.repeat(5_000)}` }))).toBe(false)
  })

  it('[T2] is judged on values of any depth', () => {
    expect([isTooDeepValue(JSON.parse(nested(100))), isTooDeepValue(JSON.parse(nested(20_000)))]).toEqual([false, true])
  })
})

it('[SES-5] revs grow within a start and over starts', () => {
  const first = new Rev(1)
  const before = [first.next(), first.next()]
  expect(before[1]).toBe((before[0] ?? 0) + 1)
  expect(new Rev(2).next()).toBeGreaterThan(first.next(1_000_000))
})
