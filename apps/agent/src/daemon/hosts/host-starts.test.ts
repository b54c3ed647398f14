import { afterEach, describe, expect, it, vi } from 'vitest'
import { HostStarts } from './host-starts'

afterEach(() => void vi.useRealTimers())

describe('the starts of hosts', () => {
  it('[FLOW-3.5] are a few at once, in the order in which they were asked for, also where one fails', async () => {
    const starts = new HostStarts(() => false, 2)
    const begun: number[] = []
    const ends: Array<(failed: boolean) => void> = []
    const all = Array.from({ length: 5 }, (_, n) =>
      starts.run(
        `s${n}`,
        () =>
          new Promise<number>((resolve, reject) => {
            begun.push(n)
            ends[n] = (failed) => (failed ? reject(new Error('it died')) : resolve(n))
          }),
      ),
    )
    expect(begun).toEqual([0, 1])
    const failure = expect(all[1]).rejects.toThrow('it died')
    ends[1]?.(true)
    await failure
    expect(begun).toEqual([0, 1, 2])
    for (const n of [0, 2, 3, 4]) {
      ends[n]?.(false)
      await all[n]
    }
    expect(begun).toEqual([0, 1, 2, 3, 4])
  })

  it('[CMD-8.16] begin with the sessions that somebody looks at', async () => {
    const starts = new HostStarts((sessionId) => sessionId === 's4', 1)
    const begun: string[] = []
    const ids = Array.from({ length: 6 }, (_, n) => `s${n}`)
    await Promise.all(ids.map((sessionId) => starts.run(sessionId, async () => void begun.push(sessionId))))
    expect(begun).toEqual(['s0', 's4', 's1', 's2', 's3', 's5'])
  })

  it('[FLOW-3] go on behind one that hangs, and count it no second time when it ends at last', async () => {
    vi.useFakeTimers()
    const starts = new HostStarts(() => false, 1)
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    const start = (sessionId: string) =>
      starts.run(sessionId, () => {
        begun.push(sessionId)
        return new Promise<void>((resolve) => ends.set(sessionId, resolve))
      })
    const hung = start('hangs')
    const second = start('second')
    const rest = [start('third'), start('fourth')]
    await vi.advanceTimersByTimeAsync(5_000)
    expect(begun).toEqual(['hangs', 'second'])
    ends.get('hangs')?.()
    await hung
    expect(begun).toEqual(['hangs', 'second'])
    ends.get('second')?.()
    await second
    expect(begun).toEqual(['hangs', 'second', 'third'])
    ends.get('third')?.()
    await rest[0]
    ends.get('fourth')?.()
    await rest[1]
    expect(begun).toEqual(['hangs', 'second', 'third', 'fourth'])
  })
})
