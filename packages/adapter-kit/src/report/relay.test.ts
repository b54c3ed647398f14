import { describe, expect, it, vi } from 'vitest'
import { Relay } from './relay'
import type { Report } from './report'

const session = { type: 'session', info: { backendSessionId: 's' } } as const
const text = (value: string) => ({ type: 'output', output: { kind: 'assistant_text', text: value } }) as const
const opened = () => new Promise((resolve) => setImmediate(resolve))

/** A relay, and all that it delivers to handlers that are registered in this order. */
function listening(...types: Array<Report['type']>) {
  const relay = new Relay()
  const seen: Report[] = []
  return { relay, seen, listen: () => types.forEach((type) => void relay.on(type, (report) => void seen.push(report))) }
}

describe('a relay', () => {
  it('[LOG-4] delivers what was reported before its handlers, in the order of the reports', async () => {
    const { relay, seen, listen } = listening('output', 'session')
    relay.report(session)
    relay.report(text('one'))
    listen()
    expect(seen).toEqual([])
    await opened()
    relay.report(text('two'))
    expect(seen).toEqual([session, text('one'), text('two')])
  })

  it('holds every report until there is a handler, of whatever kind', async () => {
    const { relay, seen, listen } = listening('output')
    relay.report(text('one'))
    await opened()
    listen()
    await opened()
    expect(seen).toEqual([text('one')])
  })

  it('delivers what waits before the first prompt goes out', () => {
    const { relay, seen, listen } = listening('session')
    listen()
    relay.report(session)
    relay.open()
    expect(seen).toEqual([session])
  })

  it('delivers what a handler reports behind what was already waiting', async () => {
    const { relay, seen, listen } = listening('output', 'turn_started')
    relay.on('session', () => relay.report({ type: 'turn_started' }))
    relay.report(session)
    relay.report(text('one'))
    listen()
    await opened()
    expect(seen).toEqual([text('one'), { type: 'turn_started' }])
  })

  it('delivers at once when it is open, and drops what nobody listens to', () => {
    const { relay, seen, listen } = listening('output')
    relay.open()
    relay.report(text('nobody is there'))
    listen()
    relay.report({ type: 'turn_started' })
    relay.report(text('one'))
    expect(seen).toEqual([text('one')])
  })

  it('calls all handlers of a kind', () => {
    const { relay, seen, listen } = listening('output', 'output')
    relay.open()
    listen()
    relay.report(text('one'))
    expect(seen).toEqual([text('one'), text('one')])
  })

  it('keeps no report from anybody because a handler throws, and hides no error', () => {
    const { relay, seen, listen } = listening('output')
    const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => {})
    relay.open()
    relay.on('output', () => {
      throw new Error('a fault of the host')
    })
    listen()
    relay.report(text('one'))
    const [thrown] = later.mock.calls[0] ?? []
    later.mockRestore()
    expect(seen).toEqual([text('one')])
    expect(thrown).toThrow('a fault of the host')
  })
})
