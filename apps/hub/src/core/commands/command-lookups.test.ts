import { describe, expect, it } from 'vitest'
import { CommandLookups } from './command-lookups'

describe('[CMD-2] looks for the commands of a machine', () => {
  const setUp = () => {
    const looks = new CommandLookups()
    const begun: string[] = []
    const ends: Array<(error?: Error) => void> = []
    const look = (name: string) => () => {
      begun.push(name)
      return new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())))
    }
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    return { looks, begun, ends, look, turn }
  }

  it('are taken one after the other, those of another machine beside them', async () => {
    const { looks, begun, ends, look, turn } = setUp()
    void looks.ask('a', 's_1', look('a1'))
    void looks.ask('a', 's_2', look('a2'))
    void looks.ask('b', 's_3', look('b3'))
    await turn()
    expect(begun).toEqual(['a1', 'b3'])
    ends[0]?.()
    await turn()
    expect(begun).toEqual(['a1', 'b3', 'a2'])
  })

  it('serve all who ask before they begin, and nobody who asks later', async () => {
    const { looks, begun, ends, look, turn } = setUp()
    void looks.ask('a', 's', look('first'))
    await turn()
    const second = looks.ask('a', 's', look('second'))
    expect(looks.ask('a', 's', look('third'))).toBe(second)
    ends[0]?.()
    await turn()
    expect(begun).toEqual(['first', 'second'])
  })

  it('that fail are told to who asked, and the next one is taken', async () => {
    const { looks, begun, ends, look, turn } = setUp()
    const failing = looks.ask('a', 's_1', look('1'))
    void looks.ask('a', 's_2', look('2'))
    await turn()
    ends[0]?.(new Error('unreadable'))
    await expect(failing).rejects.toThrow('unreadable')
    await turn()
    expect(begun).toEqual(['1', '2'])
  })
})
