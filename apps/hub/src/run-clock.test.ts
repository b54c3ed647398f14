import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runClock } from './run-clock'

describe('the clock of the hub', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('ticks once a second', async () => {
    let ticks = 0
    const clock = runClock(
      async () => {
        ticks += 1
      },
      { onError: () => {} },
    )
    await vi.advanceTimersByTimeAsync(3_000)
    expect(ticks).toBe(3)
    await clock.stop()
  })

  it('does not tick while a tick is at work, and goes on after it', async () => {
    let begun = 0
    let finish = () => {}
    const slow = () => {
      begun += 1
      return new Promise<void>((resolve) => {
        finish = resolve
      })
    }
    const clock = runClock(slow, { onError: () => {} })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(begun).toBe(1)
    finish()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(begun).toBe(2)
    finish()
    await clock.stop()
  })

  it('goes on after a tick that throws, at once or later', async () => {
    const told: unknown[] = []
    let ticks = 0
    const failing = () => {
      ticks += 1
      if (ticks === 1) throw new Error('at once')
      return ticks === 2 ? Promise.reject(new Error('later')) : Promise.resolve()
    }
    const clock = runClock(failing, { onError: (error) => told.push(String(error)) })
    await vi.advanceTimersByTimeAsync(3_000)
    expect([ticks, told]).toEqual([3, ['Error: at once', 'Error: later']])
    await clock.stop()
  })

  it('stops behind the tick that is at work', async () => {
    let finish = () => {}
    const slow = () =>
      new Promise<void>((resolve) => {
        finish = resolve
      })
    const clock = runClock(slow, { onError: () => {} })
    await vi.advanceTimersByTimeAsync(1_000)
    let stopped = false
    const stopping = clock.stop().then(() => {
      stopped = true
    })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(stopped).toBe(false)
    finish()
    await stopping
  })
})
