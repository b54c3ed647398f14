import { beforeEach, describe, expect, it } from 'vitest'
import { CALLBACK_TIMEOUT_MS, Callbacks } from './callbacks'

let late: Array<{ ms: number; call(): void; stopped: boolean }>
let callbacks: Callbacks
beforeEach(() => {
  late = []
  callbacks = new Callbacks(CALLBACK_TIMEOUT_MS, (ms, call) => {
    const timer = { ms, call, stopped: false }
    late.push(timer)
    return () => {
      timer.stopped = true
    }
  })
})

describe('a question to the client', () => {
  it('is settled by its answer, once', async () => {
    const settled = callbacks.ask('can_use_tool', 'q')
    expect(callbacks.answer('q', { behavior: 'allow' })).toBeNull()
    expect(await settled).toEqual({ by: 'client', answer: { behavior: 'allow' } })
    expect(late).toMatchObject([{ stopped: true }])
    expect(callbacks.answer('q', { behavior: 'deny' })).toBe('Unknown callback ID: q')
  })

  it('is too late after five minutes, and its answer then comes to nobody', async () => {
    const settled = callbacks.ask('hook', 'q')
    expect(late.map(({ ms }) => ms)).toEqual([300_000])
    late[0]?.call()
    expect(await settled).toEqual({ by: 'timeout' })
    expect(callbacks.answer('q', {})).toBe('Unknown callback ID: q')
  })

  it('stays open behind an answer that is none', async () => {
    const settled = callbacks.ask('can_use_tool', 'q')
    expect(callbacks.answer('q', { behavior: 'maybe' })).toMatch(/^payload\.behavior: /)
    expect(callbacks.answer('q', { behavior: 'deny' })).toBeNull()
    expect(await settled).toMatchObject({ by: 'client' })
  })

  it('to a hook takes whatever the client says, also a `behavior`', async () => {
    const settled = callbacks.ask('hook', 'q')
    callbacks.answer('q', { behavior: 'allow' })
    expect(await settled).toEqual({ by: 'client', answer: { behavior: 'allow' } })
  })

  it('is withdrawn by the program, and ends with the session', async () => {
    const aborted = new AbortController()
    const first = callbacks.ask('hook', 'a', aborted.signal)
    const second = callbacks.ask('can_use_tool', 'b')
    const third = callbacks.ask('can_use_tool', 'c')
    aborted.abort()
    callbacks.withdraw('b')
    callbacks.endAll()
    expect(await Promise.all([first, second, third])).toEqual([{ by: 'withdrawn' }, { by: 'withdrawn' }, { by: 'end' }])
    expect(late.every(({ stopped }) => stopped)).toBe(true)
  })
})
