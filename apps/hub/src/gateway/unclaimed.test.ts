import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RawUpgrade, rawUpgrade } from '../testing/raw-upgrade'
import { TestHub } from '../testing/test-hub'
import { UNCLAIMED_PER_PERSON, UNCLAIMED_PER_STRANGER, UNCLAIMED_STRANGERS, Unclaimed } from './unclaimed'

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

  const open = async (cookie: string, address: string) => {
    const made = await rawUpgrade(hub, { cookie, origin: hub.url, 'x-forwarded-for': address })
    opened.push(made)
    return made.status
  }
  const times = async (count: number, status: () => Promise<number>) => {
    const seen: number[] = []
    for (let i = 0; i < count; i += 1) seen.push(await status())
    return seen
  }
  const garbage = 'login=nobody-1'

  it('[T16] [T56] takes a place of its address: many garbage cookies from there are refused, others come in', async () => {
    const seen = await times(UNCLAIMED_PER_STRANGER + 3, () => open(garbage, '1.2.3.4'))
    expect(seen).toEqual([...Array(UNCLAIMED_PER_STRANGER).fill(101), 503, 503, 503])
    expect(await open(garbage, '5.6.7.8')).toBe(101)
    expect(await open('login=u_ana-1', '1.2.3.4')).toBe(101)
  })

  it('[T16] takes nothing from people and machines, from however many addresses strangers come', async () => {
    const seen = await times(UNCLAIMED_STRANGERS + 2, () => open(garbage, `1.2.${opened.length}.4`))
    expect(seen.slice(-3)).toEqual([101, 503, 503])
    expect((await hub.viewer()).socket.connected).toBe(true)
    await hub.connectedAgent()
  })

  it('gives its place back when it is gone, or has entered', () => {
    const unclaimed = new Unclaimed()
    const ana = { person: 'u_ana' }
    const sockets = Array.from({ length: UNCLAIMED_PER_PERSON }, () => ({}))
    expect(sockets.every((socket) => unclaimed.admit(socket, ana))).toBe(true)
    expect(unclaimed.admit({}, ana)).toBe(false)
    expect(unclaimed.admit({}, { person: 'u_ben' })).toBe(true)
    for (let i = 0; i < 2; i += 1) unclaimed.left(sockets[0] ?? {})
    expect([unclaimed.admit({}, ana), unclaimed.admit({}, ana)]).toEqual([true, false])
  })
})
