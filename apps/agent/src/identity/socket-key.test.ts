import { makeKeyPair } from '@roundhouse/keys'
import { describe, expect, it } from 'vitest'
import { socketSecret } from '../host-contract/host-door'
import { keptSocketKey, socketKeyOf } from './socket-key'

const identity = () => ({
  version: 1 as const,
  agentId: 'agt_1',
  name: 'box',
  hubUrl: 'http://localhost:1',
  hubId: 'hub_1',
  hubPublicKey: 'k',
  ...makeKeyPair(),
})

describe('the key of the host sockets', () => {
  it('[RES-1.5] comes from the key of the machine, the same for every daemon, and another for another machine', () => {
    const [one, other] = [identity(), identity()]
    expect(socketKeyOf(one)).toEqual(socketKeyOf(one))
    expect(socketKeyOf(one)).not.toEqual(socketKeyOf(other))
    expect(socketKeyOf(one).toString('base64url')).not.toBe(one.privateKey)
  })

  it('[JOIN-2] [RES-1.7] outlives every change of that key, so that running hosts are reached', () => {
    const first = identity()
    const second = { ...first, ...keptSocketKey(first), ...makeKeyPair() }
    const third = { ...second, ...keptSocketKey(second), ...makeKeyPair() }
    expect(socketKeyOf(third)).toEqual(socketKeyOf(first))
    expect(keptSocketKey(null)).toEqual({})
  })

  it('gives each session and each launch a secret of its own', () => {
    const key = socketKeyOf(identity())
    const secrets = [socketSecret(key, 's1', 'l1'), socketSecret(key, 's1', 'l2'), socketSecret(key, 's2', 'l1')]
    expect(new Set(secrets).size).toBe(3)
    expect(secrets.every((secret) => /^[0-9a-f]{64}$/.test(secret))).toBe(true)
  })
})
