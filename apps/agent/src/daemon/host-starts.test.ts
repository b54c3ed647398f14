import { describe, expect, it } from 'vitest'
import { HostStarts } from './host-starts'

describe('the starts of hosts', () => {
  it('[FLOW-3] are a few at once, in the order in which they were asked for, also where one fails', async () => {
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

  it('[CMD-8] begin with the sessions that somebody looks at', async () => {
    const starts = new HostStarts((sessionId) => sessionId === 's4', 1)
    const begun: string[] = []
    const ids = Array.from({ length: 6 }, (_, n) => `s${n}`)
    await Promise.all(ids.map((sessionId) => starts.run(sessionId, async () => void begun.push(sessionId))))
    expect(begun).toEqual(['s0', 's4', 's1', 's2', 's3', 's5'])
  })
})
