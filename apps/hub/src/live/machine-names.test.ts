import { describe, expect, it } from 'vitest'
import { toldApart } from './machine-names'

const machine = (agentId: string, name: string, keyFingerprint: string) => ({ agentId, name, keyFingerprint })

describe('what machines are called', () => {
  it('is their name, as long as no other has it', () => {
    expect([...toldApart([machine('a', 'vm', 'aaaabbbbcccc'), machine('b', 'tower', 'ddddeeeeffff')])]).toEqual([
      ['a', 'vm'],
      ['b', 'tower'],
    ])
  })

  it('has the beginning of the key beside it where two have one name', () => {
    const all = [machine('a', 'vm', 'aaaabbbbcccc'), machine('b', 'VM ', 'ddddeeeeffff'), machine('c', 'tower', 'g')]
    expect([...toldApart(all).values()]).toEqual(['vm (key aaaa bbbb)', 'VM  (key dddd eeee)', 'tower'])
  })
})
