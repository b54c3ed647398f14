import { beforeEach, describe, expect, it } from 'vitest'
import { type FloodLimit, type FrameRules, programFlood, programRules } from './frame-budgets'
import { LinkLane } from './link-lane'
import { Turns } from './turns'

const turn = () => new Promise((resolve) => setImmediate(resolve))
const rules: FrameRules = {
  once: { burst: 1, perSecond: 0 },
  alone: { burst: 100, perSecond: 100, alone: true },
  each: { burst: 3, perSecond: 1 },
  level: { burst: 1, perSecond: 1, level: true },
}

describe('[FLOW-6.2] the lane of a link', () => {
  let turns: Turns
  let now: number
  let floods: number
  let begun: string[]
  beforeEach(() => {
    turns = new Turns()
    now = 0
    floods = 0
    begun = []
  })
  const laneOf = (flood: Partial<FloodLimit> = {}) =>
    new LinkLane({
      turns,
      rules,
      flood: { burst: 100, perSecond: 1, waitingBytes: 10_000, ...flood },
      onFlood: () => {
        floods += 1
      },
      now: () => now,
    })
  const says = (lane: LinkLane, kind: string, name: string, work: () => Promise<object> = async () => ({ name })) =>
    lane.run(kind, name, () => {
      begun.push(name)
      return work()
    })
  /** Busy for longer than the links share of a turn. */
  const busy = async () => {
    for (const end = performance.now() + 6; performance.now() < end; );
    return {}
  }

  it('[FLOW-6.2] begins a frame the moment it comes, and the next beside it', () => {
    const lane = laneOf()
    void says(lane, 'each', 'a', () => new Promise(() => {}))
    void says(lane, 'each', 'b')
    expect(begun).toEqual(['a', 'b'])
  })

  it('[BUS-5.6] counts each message that a program publishes: 2,000 at once, and then 1,000 a second', async () => {
    const lane = new LinkLane({ turns, rules: programRules, flood: programFlood, onFlood: () => {}, now: () => now })
    const messages = Array.from({ length: 249 }, () => ({}))
    const done: Promise<object>[] = []
    for (let i = 0; i < 12; i++)
      done.push(
        lane.run('publish', { messages }, async () => {
          begun.push(`${i}`)
          return {}
        }),
      )
    for (let i = 0; i < 20; i++) await turn()
    expect(begun).toHaveLength(8)
    now = 1_000
    await Promise.all(done)
    expect(begun).toHaveLength(12)
  })

  it('[FLOW-6.8] begins nothing beside one that wants to be alone', async () => {
    const lane = laneOf()
    let done = (_: object) => {}
    const first = says(
      lane,
      'alone',
      'a',
      () =>
        new Promise((resolve) => {
          done = resolve
        }),
    )
    const second = says(lane, 'each', 'b')
    expect(begun).toEqual(['a'])
    done({})
    await Promise.all([first, second])
    expect(begun).toEqual(['a', 'b'])
  })

  it('[FLOW-6.3] lets other links have their turns while one sends without end', async () => {
    const [loud, quiet] = [laneOf(), laneOf()]
    const all = Array.from({ length: 3 }, (_, i) => says(loud, 'each', `loud${i}`, busy))
    const other = says(quiet, 'each', 'quiet')
    expect(begun).toEqual(['loud0'])
    await turn()
    expect(begun.length).toBeLessThan(4)
    await Promise.all([...all, other])
    expect(begun.indexOf('quiet')).toBeLessThan(begun.indexOf('loud2'))
  })

  it('[FLOW-6.6] lets go what a later frame says better, and answers it all the same', async () => {
    const lane = laneOf()
    const answers = ['a', 'b', 'c', 'd'].map((name) => says(lane, 'level', name))
    expect(await Promise.all(answers.slice(0, 3))).toEqual([{ name: 'a' }, {}, {}])
    now += 1_000
    expect(await answers[3]).toEqual({ name: 'd' })
    expect(begun).toEqual(['a', 'd'])
  })

  it('[FLOW-6.5] [FLOW-6.7] handles later, and in order, what is beyond its budget, and refuses what is said once', async () => {
    const lane = laneOf()
    const answers = Array.from({ length: 5 }, (_, i) => says(lane, 'each', `${i}`))
    expect(begun).toEqual(['0', '1', '2'])
    now += 2_000
    await Promise.all(answers)
    expect(begun).toEqual(['0', '1', '2', '3', '4'])
    await says(lane, 'once', 'first')
    await expect(says(lane, 'once', 'second')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(begun).not.toContain('second')
  })

  it('[FLOW-6.12] does nothing of what still waits when the link is gone', async () => {
    const lane = laneOf()
    for (let i = 0; i < 10; i += 1) void says(lane, 'each', `${i}`)
    lane.close()
    now += 60_000
    turns.offer(lane)
    await turn()
    expect(begun).toEqual(['0', '1', '2'])
  })

  it('[FLOW-6.10] is closed by too many frames of any kind, and by too much that waits', async () => {
    const many = laneOf({ burst: 5 })
    const answers = Array.from({ length: 7 }, (_, i) => says(many, 'level', `${i}`).catch((error) => error))
    expect(await answers[6]).toMatchObject({ code: 'RATE_LIMITED' })
    expect(floods).toBe(1)
    const large = laneOf()
    for (let i = 0; i < 9; i += 1) void says(large, 'each', 'x'.repeat(2_500)).catch(() => {})
    expect(floods).toBe(2)
    expect(large.counts()).toBe(false)
  })
})
