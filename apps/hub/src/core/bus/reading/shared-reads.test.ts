import { beforeEach, describe, expect, it } from 'vitest'
import { sharedReads } from './shared-reads'

describe('[BUS-7] reads of the table for subscribers', () => {
  let steps: string[]
  let rows: (after: number) => Promise<number>
  beforeEach(() => {
    steps = []
    rows = sharedReads(async (after) => {
      steps.push(`read ${after}`)
      return after + 1
    })
  })

  it('whoever asks for the same place before it is read shares the read, and whoever asks later gets a new one', async () => {
    expect(await Promise.all([rows(7), rows(7), rows(9)])).toEqual([8, 8, 10])
    expect(await rows(7)).toBe(8)
    expect(steps).toEqual(['read 7', 'read 9', 'read 7'])
  })

  it('a subscriber that reads the whole table lets other work go on between two reads', async () => {
    let done = false
    const others = () => {
      steps.push('others')
      if (!done) setImmediate(others)
    }
    setImmediate(others)
    for (let after = 0; after < 3; ) after = await rows(after)
    done = true
    const between = (from: string, to: string) => steps.slice(steps.indexOf(from), steps.indexOf(to))
    expect(between('read 0', 'read 1')).toContain('others')
    expect(between('read 1', 'read 2')).toContain('others')
  })

  it('a read that fails fails those who shared it, and no later one', async () => {
    let fails = true
    const read = sharedReads(async (after) => {
      if (fails) throw new Error('the disk')
      return after
    })
    const both = await Promise.allSettled([read(1), read(1)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    fails = false
    expect(await read(1)).toBe(1)
  })
})
