import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { PersonTurns } from './person-turns'

const [ana, ben] = [{ userId: 'ana' }, { userId: 'ben' }]

describe('[BUS-7.11] what one person asks for at once', () => {
  let turns: PersonTurns
  let begun: string[]
  let ends: Array<() => void>
  beforeEach(() => {
    turns = new PersonTurns()
    begun = []
    ends = []
  })
  const take = (person: { userId: string }, name: string) =>
    turns.take(person, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    })

  it('is done one after the other, and nobody else waits for it', async () => {
    const all = [take(ana, 'a1'), take(ana, 'a2'), take(ben, 'b1')]
    await nextTurn()
    expect(begun).toEqual(['a1', 'b1'])
    ends[0]?.()
    await nextTurn()
    expect(begun).toEqual(['a1', 'b1', 'a2'])
    for (const end of ends) end()
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1'])
  })

  it('is refused where too much waits, and taken again later', async () => {
    const all = Array.from({ length: 33 }, (_, i) => take(ana, `a${i}`))
    await expect(take(ana, 'more')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    for (let i = 0; i < all.length; i++) {
      await nextTurn()
      ends[i]?.()
      await all[i]
    }
    const later = take(ana, 'later')
    await nextTurn()
    ends.at(-1)?.()
    expect(await later).toBe('later')
  })

  it('goes on behind what failed', async () => {
    const failed = turns.take(ana, () => Promise.reject(new Error('the disk')))
    const next = turns.take(ana, async () => 'next')
    await expect(failed).rejects.toThrow('the disk')
    expect(await next).toBe('next')
  })
})
