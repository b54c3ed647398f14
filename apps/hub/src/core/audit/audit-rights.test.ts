import { describe, expect, it } from 'vitest'
import { sha256 } from '../common/digests'
import { EventsWalk } from './audit-events'
import { type MachineNow, type PersonNow, RightsOfLog } from './audit-rights'

type Row = [action: string, actorId: string, object?: string | null, detail?: Record<string, unknown>]
const logOf = (...rows: Row[]) => {
  const log = new RightsOfLog()
  rows.forEach(([action, actorId, object = null, detail], index) => {
    log.take({ id: index + 1, action, actorId, object, facts: detail ?? {} })
  })
  return log
}
const person = (userId: string, role: string, change: Partial<PersonNow> = {}): PersonNow => ({
  userId,
  role,
  disabled: false,
  agents: [],
  ...change,
})
const machine = (state: string, key = 'k1', fingerprintOfKey = key): MachineNow => ({
  agentId: 'agt_1',
  state,
  keyFingerprint: key,
  fingerprintOfKey,
})
const setup: Row = ['hub.setup', 'u_ana']
const enroll: Row = ['agent.enroll', 'agent:agt_1', 'rhe_1', { keyFingerprint: 'k1', waits: true }]
const ana = person('u_ana', 'owner')

describe('[AUD-3] people and machines beside the log', () => {
  it('are what its rows say, whatever way they took', () => {
    const log = logOf(
      setup,
      ['person.invite', 'u_ana', 'rhi_1', { role: 'viewer' }],
      ['person.join', 'u_ben', 'rhi_1'],
      ['person.change', 'u_ana', 'u_ben', { role: 'operator', disabled: true }],
      ['person.change', 'u_ana', 'u_ben', { disabled: false, agents: 'agt_2 agt_1' }],
      ['person.invite', 'u_ana', 'rhi_2', { role: 'admin' }],
      ['person.join', 'u_gia', 'rhi_2', { role: 'admin', agents: 'agt_1' }],
      ['person.remove', 'u_ana', 'u_gia'],
      enroll,
      ['agent.approve', 'u_ana', 'agt_1'],
      ['agent.rotate_key', 'agent:agt_1', 'agt_1', { before: 'k1', keyFingerprint: 'k2' }],
      ['agent.disable', 'u_ana', 'agt_1'],
    )
    const ben = person('u_ben', 'operator', { agents: ['agt_1', 'agt_2'] })
    expect(log.differences([ana, ben], [machine('disabled', 'k2')])).toEqual([])
    expect(log.differences([ana, { ...ben, role: 'owner' }], [])).toEqual([
      'the person u_ben is owner, and the log up to row 5 says operator',
    ])
    expect(
      log.differences(
        [
          { ...ben, agents: ['agt_1', 'agt_2', 'agt_3'] },
          { ...ben, disabled: true },
        ],
        [],
      ),
    ).toHaveLength(2)
    expect(log.differences([person('u_gia', 'admin')], [])).toEqual(['the person u_gia is admin, and no row says how'])
    expect(log.differences([], [machine('active', 'k2')])).toHaveLength(1)
    expect(log.differences([], [machine('disabled', 'k2', 'k3')])).toEqual([
      'the machine agt_1 has the key k3, and the log up to row 12 says k2',
    ])
  })

  it('that no row tells of are found in a log that reaches back to the first owner', () => {
    expect(logOf(setup).differences([ana, person('u_eve', 'owner')], [machine('active')])).toHaveLength(2)
  })

  it('are not judged by a log that began later, nor by rows that did not say yet', () => {
    expect(logOf().differences([ana, person('u_old', 'admin')], [machine('active')])).toEqual([])
    const joined = logOf(setup, ['person.join', 'u_ben', 'rhi_1', { role: 'operator' }])
    expect(joined.differences([ana, person('u_ben', 'operator', { agents: ['agt_7'] })], [])).toHaveLength(1)
    const older = logOf(
      setup,
      ['person.invite', 'u_ana', 'rhi_1', { role: 'operator' }],
      ['person.join', 'u_ben', 'rhi_1'],
    )
    expect(older.differences([ana, person('u_ben', 'operator', { agents: ['agt_7'] })], [])).toEqual([])
  })

  it('may be an account whose invitation was not finished: it may do nothing', () => {
    expect(logOf(setup).differences([ana, person('u_half', 'viewer')], [])).toEqual([])
    expect(logOf(setup).differences([ana, person('u_half', 'viewer', { agents: ['agt_1'] })], [])).toHaveLength(1)
  })
})

describe('[AUD-3] events beside their hashes', () => {
  const event = (seq: number, body = `{"n":${seq}}`, hash = sha256(body)) => ({
    sessionId: 's1',
    seq,
    toSeq: null as number | null,
    kind: 'assistant_text',
    hash,
    body,
    unreadHash: null as string | null,
  })
  const faults = (...events: ReturnType<typeof event>[]) => {
    const walk = new EventsWalk()
    return events.map((one) => walk.step(one)).filter((fault) => fault !== null)
  }

  it('hold where each is what was hashed, a gap stands for its range, and what could not be read names its hash', () => {
    const gap = { ...event(2), toSeq: 5 }
    const unread = { ...event(6, 'a tombstone', 'abc'), kind: 'tombstone', unreadHash: 'abc' }
    expect(faults(event(1), gap, unread, event(7))).toEqual([])
  })

  it('do not where one was changed, taken out or cut off', () => {
    expect(faults(event(1), event(2, '{"n":9}', sha256('{"n":2}')))).toEqual([
      'session s1: the event 2 is not what was stored',
    ])
    const torn = { ...event(1, '{"kind":"tomb', 'abc'), kind: 'tombstone' }
    expect(faults(torn)).toEqual(['session s1: the event 1 is not what was stored'])
    expect(faults(event(1), event(3))).toEqual(['session s1: the events 2 to 2 are missing'])
    const walk = new EventsWalk()
    walk.step(event(1))
    expect(walk.end([{ sessionId: 's1', committed: 1 }])).toEqual([])
    expect(walk.end([{ sessionId: 's1', committed: 4 }])).toHaveLength(1)
  })
})
