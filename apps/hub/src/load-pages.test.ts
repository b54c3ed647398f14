import { describe, expect, it } from 'vitest'
import { loadAgain } from './load-pages'

/** Loads that end when the test says so. */
function scene() {
  let now = 0
  const ends: Array<{ good(value: string): void; bad(error: Error): void }> = []
  const told: unknown[] = []
  const load = () =>
    new Promise<string>((resolve, reject) => {
      ends.push({ good: resolve, bad: reject })
    })
  const pages = loadAgain(load, (error) => told.push(error), { pauseMs: 1_000, now: () => now })
  return { ends, told, pages, wait: (ms: number) => (now += ms) }
}

const lack = new Error('EMFILE')

describe('the load of the pages', () => {
  it('happens once, for whoever asks before and after', async () => {
    const { ends, pages } = scene()
    const both = [pages(), pages()]
    ends[0]?.good('pages')
    expect(await Promise.all([...both, pages()])).toEqual(['pages', 'pages', 'pages'])
    expect(ends).toHaveLength(1)
  })

  it('[FLOW-5.10] that failed is tried again by a later request, once for all who wait, and told once for each try', async () => {
    const { ends, told, pages, wait } = scene()
    const crowd = Array.from({ length: 20 }, () => pages())
    ends[0]?.bad(lack)
    expect((await Promise.allSettled(crowd)).map(({ status }) => status)).toEqual(crowd.map(() => 'rejected'))
    wait(999)
    await expect(pages()).rejects.toBe(lack)
    expect([ends.length, told]).toEqual([1, [lack]])
    wait(1)
    const next = [pages(), pages()]
    expect(ends).toHaveLength(2)
    wait(60_000)
    next.push(pages())
    expect(ends).toHaveLength(2)
    ends[1]?.good('pages')
    expect(await Promise.all(next)).toEqual(['pages', 'pages', 'pages'])
  })
})
