import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../../testing/fake-agent'
import { partFrame, pingFrame, type RawUpgrade, rawUpgrade, textFrame } from '../../testing/raw-upgrade'
import { TestHub } from '../../testing/test-hub'
import { MOST_UNREAD_BYTES } from './raw-frames'

const times = (count: number, text: string, of: string) =>
  Array.from({ length: count }, () => (of === 'ping' ? pingFrame(text) : textFrame(text)))
const countIn = (text: string, of: string) => text.split(of).length - 1

describe('the frames of a connection', () => {
  let hub: TestHub
  let agent: FakeAgent
  let opened: RawUpgrade[]
  /** What reached the socket library, of all connections. */
  let read: number
  beforeEach(async () => {
    opened = []
    read = 0
    hub = await TestHub.start()
    agent = await hub.enrol()
    hub.gateway.io.engine.on('connection', (connection: { on(event: 'packet', listener: () => void): void }) =>
      connection.on('packet', () => {
        read += 1
      }),
    )
  })
  afterEach(async () => {
    for (const { close } of opened) close()
    await hub.stop()
  })

  async function open(headers: Record<string, string> = { origin: hub.url }): Promise<RawUpgrade> {
    const made = await rawUpgrade(hub, headers)
    opened.push(made)
    return made
  }
  /** It has entered, and is one of those that the hub knows. */
  async function entered(): Promise<RawUpgrade> {
    const made = await open(await agent.credential())
    made.send(textFrame('40/agent,'))
    await made.hears('["welcome"')
    return made
  }

  it.each(['40/x,', '40', '40/agent,', '40/__proto__,'])(
    '[WEB-2.16] [T2] that ask for %s are refused once, and read no further',
    async (entry) => {
      const stranger = await open()
      stranger.send(...times(5_000, entry, 'text'))
      await stranger.closed
      expect(countIn(stranger.heard(), '44')).toBeLessThanOrEqual(1)
      expect(read).toBeLessThanOrEqual(16)
    },
  )

  it.each(['40/x,', '40', '40/agent,'])('[WEB-2.16] that ask for %s are answered, and then closed', async (entry) => {
    const stranger = await open()
    stranger.send(textFrame(entry))
    await stranger.hears('44')
    await stranger.hears('\x88')
  })

  it('[WEB-2.16] of one that has entered are refused once as well', async () => {
    const machine = await entered()
    machine.send(...times(5_000, '40/x,', 'text'))
    await machine.closed
    expect(countIn(machine.heard(), '44/x,')).toBe(1)
  })

  it.each([
    ['heartbeats', times(5_000, '3', 'text')],
    ['pings', times(5_000, '', 'ping')],
    ['parts of a message', Array.from({ length: 5_000 }, (_, i) => partFrame(i === 0))],
  ])('[WEB-2.16] [T2] of nobody are sixteen, also of %s', async (_what, frames) => {
    const stranger = await open()
    stranger.send(...frames)
    await stranger.closed
    expect(read).toBeLessThanOrEqual(16)
    expect(countIn(stranger.heard(), '\x8a')).toBeLessThanOrEqual(16)
    expect((await hub.viewer()).socket.connected).toBe(true)
  })

  it('[FLOW-6.17] [BAD-4.8] that are pings of a machine are answered a few times, and then end its link', async () => {
    const machine = await entered()
    machine.send(...times(10_000, 'p-i-n-g', 'ping'))
    await machine.closed
    expect(countIn(machine.heard(), 'p-i-n-g')).toBe(32)
    await hub.until(() => hub.warnings.some(({ why }) => why === 'RATE_LIMITED'))
  })

  it('[FLOW-6.18] that a machine does not read are ended before they fill the memory', async () => {
    const machine = await entered()
    machine.pause()
    const [socket] = hub.gateway.io.of('/agent').sockets.values()
    const gone = new Promise((resolve) => socket?.once('disconnect', resolve))
    const million = 'x'.repeat(1_000_000)
    let sent = 0
    for (; socket?.connected && sent < 200; sent += 1) {
      socket.emit('text', million)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await gone
    expect(sent * million.length).toBeLessThan(MOST_UNREAD_BYTES + 20_000_000)
  })

  it('[FLOW-6.19] are read a few in a turn of the event loop, and all in their order', async () => {
    await agent.connect()
    const [socket] = hub.gateway.io.of('/agent').sockets.values()
    const heard: number[] = []
    let [inTurn, most] = [0, 0]
    socket?.conn.on('packet', () => {
      inTurn += 1
      if (inTurn === 1)
        setImmediate(() => {
          most = Math.max(most, inTurn)
          inTurn = 0
        })
    })
    socket?.onAny((_verb: string, i: number) => heard.push(i))
    for (let i = 0; i < 2_000; i += 1) agent.socket.emit('clock', i)
    await agent.ask('clock', { now: 1 })
    expect(heard.slice(0, 2_000)).toEqual(Array.from({ length: 2_000 }, (_, i) => i))
    expect(most).toBeLessThanOrEqual(2 * 64)
  })

  it('[WEB-2.16] [T16] of one that leaves its namespace are the last of its connection', async () => {
    const machine = await entered()
    machine.send(textFrame('41/agent,'))
    await machine.hears('\x88')
    expect(countIn(machine.heard(), '["welcome"')).toBe(1)
  })
})
