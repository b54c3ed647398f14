import { describe, expect, it, vi } from 'vitest'
import { Lines } from './lines'

const decoder = new TextDecoder()

/** Lots that note how many were made. */
function source(lots: ReadonlyArray<object[] | Error>) {
  const made = { lots: 0, ended: 0, returned: false }
  async function* generate(): AsyncGenerator<object[]> {
    try {
      for (const lot of lots) {
        made.lots += 1
        if (lot instanceof Error) throw lot
        yield lot
      }
    } finally {
      made.returned = true
    }
  }
  return { made, given: { lots: generate(), headers: {}, ended: () => void made.ended++ } }
}

describe('[RUN-7.9] an answer of lines', () => {
  it('has each object on a line of its own, and an empty line where nothing came', async () => {
    const { made, given } = source([[{ a: 1 }, { b: '\n' }], [], [{ c: 2 }]])
    const response = new Lines({ ...given, headers: { location: '/x' } }).response()
    expect([response.headers.get('content-type'), response.headers.get('location')]).toEqual([
      'application/x-ndjson',
      '/x',
    ])
    expect(await response.text()).toBe('{"a":1}\n{"b":"\\n"}\n\n{"c":2}\n')
    expect(made).toEqual({ lots: 3, ended: 1, returned: true })
  })

  it('makes a lot when the last was taken, and none for a reader that takes nothing', async () => {
    const { made, given } = source(Array.from({ length: 1_000 }, (_, i) => [{ i }]))
    const reader = new Lines(given).response().body?.getReader()
    await new Promise((resolve) => setImmediate(resolve))
    expect(made.lots).toBe(0)
    expect(decoder.decode((await reader?.read())?.value)).toBe('{"i":0}\n')
    await new Promise((resolve) => setImmediate(resolve))
    expect(made.lots).toBe(1)
    await reader?.cancel()
    expect(made).toEqual({ lots: 1, ended: 1, returned: true })
  })

  it('breaks off for a reader that takes nothing for too long', async () => {
    vi.useFakeTimers()
    const { made, given } = source([[{ i: 0 }], [{ i: 1 }]])
    const reader = new Lines(given).response().body?.getReader()
    await reader?.read()
    await vi.advanceTimersByTimeAsync(60_000)
    await expect(reader?.read()).rejects.toThrow('takes nothing')
    expect(made).toEqual({ lots: 1, ended: 1, returned: true })
    vi.useRealTimers()
  })

  it('breaks off for a reader that never takes anything', async () => {
    vi.useFakeTimers()
    const { made, given } = source([[{ i: 0 }]])
    const { body } = new Lines(given).response()
    await vi.advanceTimersByTimeAsync(60_000)
    await expect(body?.getReader().read()).rejects.toThrow('takes nothing')
    expect(made).toMatchObject({ lots: 0, ended: 1 })
    vi.useRealTimers()
  })

  it('breaks off where the rest cannot be had, so that nobody takes it for the end', async () => {
    const { made, given } = source([[{ i: 0 }], new Error('gone')])
    await expect(new Lines(given).response().text()).rejects.toThrow('gone')
    expect(made.ended).toBe(1)
  })

  it('[RUN-7.8] is one document with blanks before it where it is waited for', async () => {
    const { given } = source([[{ i: 0 }], []])
    const response = new Lines({ ...given, last: async () => ({ done: true }) }).response()
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toBe('  {"done":true}')
  })

  it('holds nothing where it is not sent', async () => {
    const { made, given } = source([[{ i: 0 }]])
    new Lines(given).dispose()
    expect(made).toMatchObject({ lots: 0, ended: 1 })
  })
})
