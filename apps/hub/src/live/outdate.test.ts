import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { outdate } from './outdate'

/** A list at a hub, and a page that reads it. Each answer says what was true when it was asked for, and waits to be let go. */
function scene() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 5_000 } } })
  const waiting: Array<() => void> = []
  const hub = { value: 'old', asked: 0 }
  const queryFn = () => {
    hub.asked += 1
    const { value } = hub
    return new Promise<string>((resolve) => waiting.push(() => resolve(value)))
  }
  const observer = new QueryObserver<string>(client, { queryKey: ['list'], queryFn })
  const leave = observer.subscribe(() => {})
  ends.push(leave, () => client.clear())
  return {
    client,
    hub,
    leave,
    look: () => ends.push(observer.subscribe(() => {})),
    shown: () => observer.getCurrentResult().data,
    /** Answers what is asked, until nothing is. */
    async answers() {
      await quiet()
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        next()
        await quiet()
      }
    },
    async change(value: string) {
      hub.value = value
      void outdate(client, ['list'])
      await quiet()
    },
  }
}

const ends: Array<() => void> = []
beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  for (const end of ends.splice(0)) end()
  vi.useRealTimers()
})

/** Whatever can happen without another answer has happened; the library tells its readers by timers of 0 ms. */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await vi.advanceTimersByTimeAsync(0)
}

describe('a list that was told to be stale', () => {
  it('[VIEW-7.5] while its first answer is on the way: that one is shown, and the next one is the last word', async () => {
    const { change, answers, shown, hub } = scene()
    await change('new')
    await answers()
    expect([shown(), hub.asked]).toEqual(['new', 2])
  })

  it('[VIEW-7.5] while a later answer is on the way', async () => {
    const { change, answers, shown, hub } = scene()
    await answers()
    await change('new')
    await change('newer')
    await answers()
    expect([shown(), hub.asked]).toEqual(['newer', 3])
  })

  it('[VIEW-7.5] many times while one answer is on the way: it is asked for once more', async () => {
    const { change, answers, shown, hub } = scene()
    for (let n = 1; n <= 50; n += 1) await change(`change ${n}`)
    await answers()
    expect([shown(), hub.asked]).toEqual(['change 50', 2])
  })

  it('[VIEW-7] while nobody looks and its answer is on the way: whoever looks next asks again', async () => {
    const { change, answers, leave, look, shown } = scene()
    leave()
    await change('new')
    await answers()
    look()
    await answers()
    expect(shown()).toBe('new')
  })

  it('[VIEW-7] at rest: it is asked for once', async () => {
    const { change, answers, shown, hub } = scene()
    await answers()
    await change('new')
    await answers()
    expect([shown(), hub.asked]).toEqual(['new', 2])
  })
})
