import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { message, type Program, person, program } from '../../../testing/bus-program'
import { TestHub } from '../../../testing/test-hub'
import { join } from '../peers/peer-life'
import { MOST_BY_ROLE } from './role-commands'

describe('[BUS-10.6] a command to a role', () => {
  let hub: TestHub
  let boss: Program
  beforeEach(async () => {
    hub = await TestHub.start({ now: () => 1_795_000_000_000 })
    await person(hub, 'eve', 'admin')
    boss = await program(hub, 'eve', 'orchestrator')
  })
  afterEach(() => hub.stop())

  const go = () => message('cmd.role.worker', 'cmd-inject-text-v1', { text: 'Go on.' })
  /** Sessions that the bus knows, before the hub has read them. */
  const sessions = (count: number) => {
    const one = { kind: 'session', role: 'worker', name: 's', agentId: 'a', userId: null } as const
    const peers = Array.from({ length: count }, (_, i) => join({ ...one, peerId: `s_${i}` }, 1).peer)
    return hub.store.bus.append({ rows: [], peers })
  }

  it('is refused where more than 64 sessions have the role: none of them has it, and nobody hears it', async () => {
    await sessions(MOST_BY_ROLE + 1)
    const { results } = await boss.publish(go())
    const details = { sessions: MOST_BY_ROLE + 1, limit: MOST_BY_ROLE }
    expect(results).toMatchObject([{ ok: false, error: { code: 'TOO_MANY_SESSIONS', details } }])
    expect(await boss.read('cmd.**')).toEqual([])
  })

  it('counts as a message for each session: nobody commands more by a role than one by one', async () => {
    await sessions(MOST_BY_ROLE)
    const { results } = await boss.publish(...Array.from({ length: 10 }, go))
    const codes = results.map((result) => (result.ok ? 'ok' : result.error.code))
    expect(codes.lastIndexOf('ok')).toBe(6)
    expect(codes.slice(7)).toEqual(Array.from({ length: 3 }, () => 'RATE_LIMITED'))
  })
})
