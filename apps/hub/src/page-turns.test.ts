import { describe, expect, it } from 'vitest'
import { Turns } from './page-turns'

function crowd() {
  const turns = new Turns()
  const drawn: string[] = []
  const refused: string[] = []
  const running: Array<() => void> = []
  let asked = 0
  const ask = (network: string) => {
    const name = `${network}${asked++}`
    const start = (done: () => void) => {
      drawn.push(name)
      running.push(done)
    }
    turns.take(network, start, () => refused.push(name))
  }
  const end = () => running.shift()?.()
  return { ask, end, drawn, refused }
}

describe('pages', () => {
  it('[WEB-2.13] [T2] are drawn two at once, and each network has its turn', () => {
    const { ask, end, drawn } = crowd()
    for (let i = 0; i < 6; i += 1) ask('a')
    ask('b')
    expect(drawn).toEqual(['a0', 'a1'])
    end()
    end()
    expect(drawn).toEqual(['a0', 'a1', 'a2', 'b6'])
  })

  it('[WEB-2.13] [T2] wait 32 for each network; beyond that its own oldest is refused', () => {
    const { ask, refused } = crowd()
    for (let i = 0; i < 40; i += 1) ask('a')
    ask('b')
    expect(refused).toEqual(['a2', 'a3', 'a4', 'a5', 'a6', 'a7'])
  })

  it('[WEB-2] [T2] wait 512 in all; beyond that whoever asked for most loses the oldest', () => {
    const { ask, refused, end, drawn } = crowd()
    ask('x')
    ask('x')
    for (let i = 0; i < 256; i += 1) ask(`n${i}-`)
    for (let i = 0; i < 32; i += 1) ask('a')
    for (let i = 0; i < 224; i += 1) ask(`m${i}-`)
    expect(refused).toEqual([])
    ask('me')
    expect(refused).toEqual(['a258'])
    for (let i = 0; i < 600; i += 1) end()
    expect(drawn.length).toBe(2 + 512)
    ask('late')
    expect(drawn.at(-1)).toMatch(/^late/)
  })

  it('a turn that ends twice ends once', () => {
    const turns = new Turns()
    const ends: Array<() => void> = []
    let begun = 0
    const start = (done: () => void) => {
      begun += 1
      ends.push(done)
    }
    for (let i = 0; i < 5; i += 1) turns.take('a', start, () => {})
    ends[0]?.()
    ends[0]?.()
    expect(begun).toBe(3)
  })
})
