import { CodedError } from '@roundhouse/backend-types'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { askChallenge } from '../identity/challenge'
import { postJson } from '../identity/hub-http'
import { FakeHub } from '../testing/fake-hub'
import { event, MemoryPorts } from '../testing/memory-ports'
import { HubLink } from './hub-link'

let hub: FakeHub
let ports: MemoryPorts
let link: HubLink

beforeEach(async () => {
  hub = new FakeHub()
  await hub.start()
  ports = new MemoryPorts(hub)
  link = new HubLink(ports, {
    askChallenge: (identity) =>
      askChallenge(postJson, identity.hubUrl, { publicKey: identity.hubPublicKey }, identity.agentId),
    random: () => 0,
    onRevoked: () => {},
    onPending: () => {},
  })
})
afterEach(async () => {
  vi.useRealTimers()
  await link.stop()
  await hub.stop()
})

const drained = (sessionId: string, count: number) => hub.until(() => hub.seqs(sessionId).length >= count)

it('[REB-1.7] a log that could not be moved is moved later, and goes on then', async () => {
  ports.fill('s1', 3)
  hub.sessions.set('s1', [event(1, 'from another log')])
  hub.logIds.set('s1', 'another log')
  const { rebase } = ports
  ports.rebase = async () => {
    ports.rebase = rebase
    throw new CodedError('STORAGE_UNAVAILABLE')
  }
  link.start()
  await drained('s1', 5)
  expect(hub.seqs('s1')).toEqual([1, 2, 3, 4, 5])
  expect(hub.connections).toBe(1)
})

it('[REB-4.19] a log that was not there for a moment, and is the same one then, goes on at its next event', async () => {
  ports.fill('s1', 1)
  link.start()
  await drained('s1', 1)
  const { read } = ports
  ports.read = () => {
    ports.read = read
    ports.look()
    return null
  }
  ports.fill('s1', 1)
  link.appended('s1', 2)
  await ports.until(() => ports.read === read)
  ports.fill('s1', 1)
  link.appended('s1', 3)
  await drained('s1', 3)
  expect(hub.connections).toBe(1)
})

it('[FLOW-3.2] events of one session that the hub fails to store keep no other session waiting', async () => {
  hub.failing.add('s1')
  ports.fill('s1', 1)
  ports.fill('s2', 1)
  link.start()
  await drained('s2', 1)
  for (let count = 2; count <= 20; count += 1) {
    ports.fill('s2', 1)
    link.appended('s2', count)
    await drained('s2', count)
  }
  expect(hub.batches.filter(({ sessionId }) => sessionId === 's1').length).toBeLessThan(5)
  hub.failing.delete('s1')
  await drained('s1', 1)
  expect(hub.connections).toBe(1)
})

/** Another log in the place of the one before, as a host makes it where that was damaged. */
function renew(sessionId: string, count: number) {
  const events = Array.from({ length: count }, (_, at) => event(at + 1, `another ${at + 1}`))
  ports.logs.set(sessionId, { logId: `another of ${sessionId}`, events, acked: 0, ackedEpoch: '' })
  link.renewed(sessionId)
}

const reported = (count: number) => hub.until(() => hub.reports.length >= count)

it('[REB-4.11] a log that becomes another one while the sessions are reported is reported behind them', async () => {
  ports.fill('s1', 2)
  hub.sessions.set('s1', [event(1), event(2)])
  hub.logIds.set('s1', 'log-s1')
  link.start()
  await reported(1)
  renew('s1', 3)
  await drained('s1', 6)
  expect(hub.seqs('s1')).toEqual([1, 2, 3, 4, 5, 6])
  expect(ports.verdicts).toMatchObject([{ sessionId: 's1', verdict: 'rebase' }])
  expect(hub.connections).toBe(1)
})

it('[REB-4.9] several damaged logs that are mended while the daemon begins to be online cost no connection', async () => {
  ports.fill('s0', 1)
  link.start()
  await reported(1)
  const mended = ['s1', 's2', 's3']
  for (const sessionId of mended) renew(sessionId, 1)
  for (const sessionId of ['s0', ...mended]) await drained(sessionId, 1)
  expect(hub.connections).toBe(1)
  expect(hub.reports.map((page) => page.map(({ sessionId }) => sessionId))).toEqual([['s0'], ['s1'], ['s2'], ['s3']])
})

it('[REB-4.11] a log that becomes another one while its report is on the way is reported again', async () => {
  link.start()
  await reported(1)
  await ports.until(() => ports.presence.at(-1) === true)
  ports.fill('s1', 2)
  hub.sessions.set('s1', [event(1)])
  hub.logIds.set('s1', 'log-s1')
  link.appended('s1', 2)
  await reported(2)
  renew('s1', 1)
  renew('s1', 2)
  await drained('s1', 4)
  expect(ports.verdicts).toMatchObject([{ sessionId: 's1', verdict: 'rebase' }])
  expect(hub.connections).toBe(1)
})

it('[LINK-2] a session that begins while the others are reported is reported behind them', async () => {
  link.start()
  await reported(1)
  ports.fill('s1', 1)
  link.appended('s1', 1)
  await drained('s1', 1)
  expect(hub.reports).toHaveLength(2)
})

it('[REB-2.14] [REB-3] a hub that was restored and holds a log whole has acked it under its new epoch', async () => {
  ports.fill('s1', 3)
  hub.sessions.set(
    's1',
    [1, 2, 3].map((seq) => event(seq)),
  )
  hub.logIds.set('s1', 'log-s1')
  ports.acked('s1', 3, 'the epoch before')
  link.start()
  await ports.until(() => ports.presence.at(-1) === true)
  expect(ports.position('s1')).toEqual({ head: 3, acked: 3, ackedEpoch: hub.hubEpoch })
  expect(hub.batches).toEqual([])
})

it('[REB-2.14] of a log that a restored hub holds in part, only that part is acked until the rest was sent', async () => {
  ports.fill('s1', 3)
  hub.sessions.set('s1', [event(1)])
  hub.logIds.set('s1', 'log-s1')
  ports.acked('s1', 3, 'the epoch before')
  const acks: number[] = []
  const { acked } = ports
  ports.acked = (sessionId, upTo, epoch) => {
    acks.push(upTo)
    acked.call(ports, sessionId, upTo, epoch)
    ports.look()
  }
  link.start()
  await ports.until(() => acks.length === 2)
  expect(acks).toEqual([1, 3])
  expect(hub.seqs('s1')).toEqual([1, 2, 3])
})

it('[FLOW-3] [F18] a pause that the hub asked for ends on time though the clock of the machine is set back', async () => {
  ports.fill('s1', 1)
  link.start()
  await drained('s1', 1)
  hub.push('hold', { ms: 50, code: 'DISK_FULL' })
  await ports.until(() => ports.lines.some((line) => line.includes('asked for a pause')))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
  ports.fill('s1', 1)
  link.appended('s1', 2)
  await drained('s1', 2)
  expect(hub.connections).toBe(1)
})

it('[FLOW-3.3] [STORE-6] a session that the hub cannot judge is reported ever more rarely, and goes on when it can', async () => {
  hub.unjudged.add('s1')
  ports.fill('s1', 1)
  ports.fill('s2', 1)
  link.start()
  await drained('s2', 1)
  for (let count = 2; count <= 20; count += 1) {
    ports.fill('s1', 1)
    link.appended('s1', count)
    ports.fill('s2', 1)
    link.appended('s2', count)
    await drained('s2', count)
  }
  expect(hub.reports.flat().filter(({ sessionId }) => sessionId === 's1').length).toBeLessThan(5)
  hub.unjudged.delete('s1')
  await drained('s1', 20)
  expect(hub.connections).toBe(1)
})

it('[LINK-2] what is reported is read over several turns of the event loop', async () => {
  let turn = 0
  let going = true
  const count = () => {
    turn += 1
    if (going) setImmediate(count)
  }
  setImmediate(count)
  const turns = new Set<number>()
  for (let at = 0; at < 40; at += 1) ports.fill(`s${at}`, 1)
  ports.reports = function* () {
    for (const sessionId of ports.logs.keys()) {
      turns.add(turn)
      const report = ports.report(sessionId)
      if (report) yield report
    }
  }
  link.start()
  await drained('s39', 1)
  going = false
  expect(turns.size).toBeGreaterThan(3)
  expect(hub.reports).toHaveLength(1)
})
