import { beforeEach, describe, expect, it } from 'vitest'
import { Attention } from './attention'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('[CMD-8] [FLOW-6] sessions that somebody looks at', () => {
  let told: string[][]
  let preferred: string[]
  let attention: Attention
  beforeEach(() => {
    told = []
    preferred = []
    const link = { attention: (sessionIds: string[]) => void told.push(sessionIds) }
    attention = new Attention({
      presence: { current: () => ({ ready: true, link }) } as never,
      prefer: (sessionId) => void preferred.push(sessionId),
    })
  })
  const names = (count: number, name: string) => Array.from({ length: count }, (_, i) => `${name}${i}`)

  it('are told together, however often somebody comes and goes', async () => {
    for (let i = 0; i < 300; i += 1) {
      attention.begins('s', 'box', 'ana')
      attention.ends('s', 'ana')
    }
    attention.begins('s', 'box', 'ana')
    await turn()
    expect(told).toEqual([['s']])
  })

  it('are told of each person in turn: whoever looks at many crowds out nobody else’s', async () => {
    for (const sessionId of names(2, 'ben')) attention.begins(sessionId, 'box', 'ben')
    for (const sessionId of names(200, 'ana')) attention.begins(sessionId, 'box', 'ana')
    await turn()
    expect(told[0]?.length).toBe(100)
    expect(told[0]?.slice(0, 5)).toEqual(['ben1', 'ana199', 'ben0', 'ana198', 'ana197'])
  })

  it('are looked at as long as one page of one person does', () => {
    attention.begins('s', 'box', 'ana')
    attention.begins('s', 'box', 'ana')
    attention.begins('s', 'box', 'ben')
    attention.ends('s', 'ana')
    attention.ends('s', 'ben')
    expect([attention.has('s'), preferred]).toEqual([true, ['s']])
    attention.ends('s', 'ana')
    attention.ends('s', 'ana')
    expect(attention.has('s')).toBe(false)
  })
})
