import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RawUpgrade, rawUpgrade } from '../../testing/raw-upgrade'
import { TestHub } from '../../testing/test-hub'
import { UNCLAIMED_PER_NETWORK, UNCLAIMED_PER_PERSON, UNCLAIMED_STRANGERS, Unclaimed } from './unclaimed'

describe('a socket that never says whose it is', () => {
  let hub: TestHub
  let opened: RawUpgrade[]
  beforeEach(async () => {
    opened = []
    hub = await TestHub.start()
  })
  afterEach(async () => {
    for (const { close } of opened) close()
    await hub.stop()
  })

  const open = async (address: string) => {
    const made = await rawUpgrade(hub, { origin: hub.url, 'x-forwarded-for': address })
    opened.push(made)
    return made.status
  }
  const times = async (count: number, status: (i: number) => Promise<number>) => {
    const seen: number[] = []
    for (let i = 0; i < count; i += 1) seen.push(await status(i))
    return seen
  }

  it('[T16] [T56] [WEB-3.16] takes a place of its network: too many from there close the oldest of them, and all others come in', async () => {
    const seen = await times(UNCLAIMED_PER_NETWORK + 3, () => open('1.2.3.4'))
    expect(new Set(seen)).toEqual(new Set([101]))
    await Promise.all(opened.slice(0, 3).map(({ closed }) => closed))
    expect(await open('5.6.7.8')).toBe(101)
  })

  it('[WEB-2.17] [T16] is one line of the log for its network and minute, however often it is refused', async () => {
    const refuse = async (address: string) =>
      (await rawUpgrade(hub, { origin: 'http://evil.example', 'x-forwarded-for': address })).status
    expect(await times(20, (i) => refuse(i % 2 ? '1.2.3.4' : '5.6.7.8'))).toEqual(Array(20).fill(403))
    expect(hub.warnings.map(({ address }) => address)).toEqual(['5.6.7.8', '1.2.3.4'])
  })

  it('[T16] takes nothing from people and machines, from however many networks strangers come', async () => {
    const seen = await times(UNCLAIMED_STRANGERS + 2, (i) => open(`1.${Math.floor(i / 200)}.${i % 200}.4`))
    expect(new Set(seen)).toEqual(new Set([101]))
    expect((await hub.viewer()).socket.connected).toBe(true)
    await hub.connectedAgent()
  })
})

describe('the places of connections that have entered nowhere', () => {
  const nothing = () => {}

  it('are given back when a connection is gone, or has entered', () => {
    const unclaimed = new Unclaimed()
    const ana = { person: 'u_ana' }
    const sockets = Array.from({ length: UNCLAIMED_PER_PERSON }, () => ({}))
    expect(sockets.every((socket) => unclaimed.admit(socket, ana, nothing))).toBe(true)
    expect(unclaimed.admit({}, ana, nothing)).toBe(false)
    expect(unclaimed.admit({}, { person: 'u_ben' }, nothing)).toBe(true)
    for (let i = 0; i < 2; i += 1) unclaimed.left(sockets[0] ?? {})
    expect([unclaimed.admit({}, ana, nothing), unclaimed.admit({}, ana, nothing)]).toEqual([true, false])
  })

  it('[T16] [WEB-3.18] when all are taken, the network that holds most loses its oldest', () => {
    const unclaimed = new Unclaimed()
    const closed: string[] = []
    const enter = (address: string, i: number) => unclaimed.admit({}, { address }, () => closed.push(`${address} ${i}`))
    for (let i = 0; i < 20; i += 1) enter('9.9.9.9', i)
    for (let i = 0; i < UNCLAIMED_STRANGERS - 20; i += 1) enter(`1.2.${i}.4`, i)
    expect(closed).toEqual([])
    expect(enter('5.5.5.5', 0)).toBe(true)
    expect(enter('5.5.5.6', 0)).toBe(true)
    expect(closed).toEqual(['9.9.9.9 0', '9.9.9.9 1'])
  })
})
