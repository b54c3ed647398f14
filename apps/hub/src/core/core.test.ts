import { type Action, Role } from '@roundhouse/backend-types'
import { makeKeyPair, readPrivateKey } from '@roundhouse/keys'
import { describe, expect, it } from 'vitest'
import { can } from './access/access'
import { isTooDeepText, isTooDeepValue, MAX_DEPTH } from './common/depth'
import { Rev } from './common/revs'
import { makeToken, parseToken } from './common/secret-token'
import { chainGiven, chainShown, connectionOfChain, makeChainValue, newChain } from './machines/chain'
import type { AgentLink } from './machines/link-ports'
import { type Connected, Presence } from './machines/presence'
import { ServedSessions } from './machines/served-sessions'
import type { MachineChain } from './ports/machine-store'

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
    const actor = { userId: 'u', name: 'U', role, credential: { kind: 'login', id: 'l' } as const }
    expect(asked.filter((action) => can({ ...actor, agents: null }, action))).toEqual(allowed[role])
  })
})

describe('the chain of an agent', () => {
  const shows = (
    state: MachineChain,
    shown: string,
    given: string,
    epoch = 'e1',
    at: { connEpoch: number; shownFor: number | null } = { connEpoch: 5, shownFor: null },
  ) => {
    const judged = chainShown(state, shown, given, epoch, at)
    return judged.kind === 'good' ? judged.next : judged.kind
  }
  const fresh = shows(chainGiven(newChain, 'c1'), '', 'c1') as MachineChain

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

  it('[JOIN-4] [REB-2] a value that this hub signed for a connection it does not remember: its own data is old', () => {
    const held = chainGiven(fresh, 'c5')
    const at = (shownFor: number) => ({ connEpoch: 5, shownFor })
    expect(shows(held, 'unknown', 'c5', 'e1', at(9))).toBe('hub_restored')
    expect(shows(held, 'unknown', 'c5', 'e1', at(5))).toBe('hub_restored')
    expect(shows(held, 'unknown', 'c5', 'e1', at(4))).toBe('cloned')
    expect(shows(held, 'c5', 'c5', 'e1', at(5))).toBe('cloned')
  })

  it('[JOIN-4] a value names its connection only under the signature of this hub for this agent', () => {
    const { publicKey, privateKey } = makeKeyPair()
    const value = makeChainValue(readPrivateKey(privateKey), 'agt_1', 7)
    const foreign = makeChainValue(readPrivateKey(makeKeyPair().privateKey), 'agt_1', 7)
    expect(value.length).toBeLessThanOrEqual(128)
    expect(connectionOfChain(publicKey, 'agt_1', value)).toBe(7)
    expect(connectionOfChain(publicKey, 'agt_2', value)).toBeNull()
    expect(connectionOfChain(publicKey, 'agt_1', value.replace('7.', '9.'))).toBeNull()
    expect(connectionOfChain(publicKey, 'agt_1', foreign)).toBeNull()
    expect(connectionOfChain(publicKey, 'agt_1', 'c1')).toBeNull()
  })

  it('[JOIN-4] a change of the hub epoch skips the check once', () => {
    const next = shows(chainGiven(fresh, 'c2'), 'whatever', 'c2', 'e2')
    expect(next).toEqual({ chains: ['c2'], chainEpoch: 'e2' })
    expect(shows(chainGiven(next as MachineChain, 'c3'), 'whatever', 'c3', 'e2')).toBe('cloned')
  })
})

describe('an enrollment token', () => {
  it('[JOIN-1] is known by its prefix and checksum, and every slip of the pen is found', () => {
    const { token, tokenId, secretHash } = makeToken('rhe')
    expect(token).toMatch(/^rhe_[A-Za-z0-9]{10}_[A-Za-z0-9_-]{43}_[A-Za-z0-9]{6}$/)
    expect(parseToken('rhe', ` ${token}\n`)).toEqual({ tokenId, secretHash })
    for (let i = 0; i < token.length; i += 1) {
      const other = token[i] === 'x' ? 'y' : 'x'
      expect(parseToken('rhe', token.slice(0, i) + other + token.slice(i + 1))).toBeNull()
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

it('[LINK-3] of two connections the one with the higher number stays, whichever comes last', () => {
  const presence = new Presence(0)
  const connection = (connEpoch: number): Connected => {
    return { link: {} as AgentLink, connEpoch, ready: true, served: new ServedSessions() }
  }
  const [older, newer] = [connection(1), connection(2)]
  expect([presence.enter('agt', newer), presence.enter('agt', older), presence.current('agt')]).toEqual([
    undefined,
    older,
    newer,
  ])
  expect(presence.enter('agt', connection(3))).toBe(newer)
})

it('[SES-5] revs grow within a start and over starts', () => {
  const first = new Rev(1)
  const before = [first.next(), first.next()]
  expect(before[1]).toBe((before[0] ?? 0) + 1)
  expect(new Rev(2).next()).toBeGreaterThan(first.next(1_000_000))
})
