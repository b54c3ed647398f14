import { describe, expect, it } from 'vitest'
import { ChannelError, type ChannelUpdate } from '../port/channel'
import { readUpdates } from './read-updates'

const update = (id: number): ChannelUpdate => ({ id, heard: { kind: 'nothing' } })

/** Reads until the script is over. Each step is an answer of the service. */
async function read(steps: ReadonlyArray<ChannelUpdate[] | Error>) {
  const stop = new AbortController()
  const seen = { asked: [] as number[], handled: [] as number[], waits: [] as number[] }
  const left = [...steps]
  await readUpdates({
    channel: {
      updates: async (from: number) => {
        seen.asked.push(from)
        const step = left.shift()
        if (left.length === 0) stop.abort()
        if (step instanceof Error) throw step
        return step ?? []
      },
    },
    from: 5,
    handle: async ({ id }) => void seen.handled.push(id),
    skip: async () => {},
    tell: () => {},
    onReturn: () => {},
    onError: () => {},
    wait: async (ms) => void seen.waits.push(ms),
    signal: stop.signal,
  })
  return seen
}

describe('the updates of a bot', () => {
  it('[CHAN-5.6] are not asked for in a pause that the service asks for, and continue where they were', async () => {
    const pause = new ChannelError('later', 'the Bot API answered 429', 90_000)
    const { asked, handled, waits } = await read([[update(5)], pause, [update(6)], []])
    expect([asked, handled, waits]).toEqual([[5, 6, 6, 7], [5, 6], [90_000]])
  })

  it('[CHAN-1.4] are asked for again after a failure, at least every 30 s', async () => {
    const fails = Array.from({ length: 10 }, () => new ChannelError('unreachable', 'ECONNREFUSED'))
    const { asked, waits } = await read([...fails, []])
    expect(new Set(asked)).toEqual(new Set([5]))
    expect([waits[0], waits.at(-1)]).toEqual([500, 30_000])
  })
})
