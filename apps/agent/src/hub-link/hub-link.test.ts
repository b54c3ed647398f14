import { CodedError, type Command, type HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askChallenge } from '../identity/challenge'
import { postJson } from '../identity/hub-http'
import { FakeHub } from '../testing/fake-hub'
import { idleState } from '../testing/idle-state'
import { event, MemoryPorts } from '../testing/memory-ports'
import { HubLink } from './hub-link'

let hub: FakeHub
let ports: MemoryPorts
let link: HubLink
let revoked: string[]
let pending: number

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const drained = (sessionId: string, count: number) => hub.until(() => hub.seqs(sessionId).length >= count)
const connect = (ackTimeoutMs?: number) => {
  revoked = []
  pending = 0
  link = new HubLink(ports, {
    askChallenge: (identity) =>
      askChallenge(postJson, identity.hubUrl, { publicKey: identity.hubPublicKey }, identity.agentId),
    random: () => 0,
    ...(ackTimeoutMs === undefined ? {} : { ackTimeoutMs }),
    onRevoked: (reason) => {
      revoked.push(reason)
      ports.look()
    },
    onPending: () => {
      pending += 1
      ports.look()
    },
  })
  link.start()
}
const command = (commandId = 'c1'): Command => ({
  commandId,
  sessionId: 's1',
  cmdSeq: 1,
  author: { userId: 'u1', name: 'Ana' },
  createdAt: 1,
  body: { kind: 'session.stop' },
})
const state = (rev: number): HostState => ({ ...idleState, rev })

beforeEach(async () => {
  hub = new FakeHub()
  await hub.start()
  ports = new MemoryPorts(hub)
})
afterEach(async () => {
  await link.stop()
  await hub.stop()
})

describe('the clock', () => {
  it('[LOG-10.4] is said with every ping of the hub', async () => {
    await hub.stop()
    hub = new FakeHub()
    hub.pingMs = 20
    await hub.start()
    ports = new MemoryPorts(hub)
    const began = Date.now()
    connect()
    await hub.until(() => hub.clocks.length >= 3)
    expect(hub.clocks.every((now) => now >= began && now <= Date.now())).toBe(true)
  })
})

describe('the handshake', () => {
  it('[LINK-2.2] [LINK-2.5] says hello, reports its sessions, and sends only what the hub asks for', async () => {
    ports.fill('s1', 10)
    hub.sessions.set(
      's1',
      numbers(4).map((seq) => event(seq)),
    )
    Object.assign(ports.logs.get('s1') ?? {}, { acked: 4, ackedEpoch: 'epoch-1' })
    connect()
    await drained('s1', 10)
    expect(hub.hellos[0]).toMatchObject({ software: 'roundhouse-agent test', protocol: [1], chain: '' })
    expect(hub.reports[0]).toEqual([
      { sessionId: 's1', logId: 'log-s1', firstRetained: 1, last: 10, acked: 4, ackedEpoch: 'epoch-1' },
    ])
    expect(ports.verdicts).toEqual([{ sessionId: 's1', verdict: 'resume', from: 5 }])
    expect(hub.batches.map(({ events }) => events.map(({ seq }) => seq))).toEqual([[5, 6, 7, 8, 9, 10]])
  })

  it('[LINK-2.3] reports many sessions in pages', async () => {
    hub.limits.sessionsPerPage = 3
    for (const n of numbers(7)) ports.fill(`s${n}`, 1)
    connect()
    await drained('s7', 1)
    expect(hub.reports.map((page) => page.length)).toEqual([3, 3, 1])
  })

  it('[JOIN-4.2] stores each chain before it shows the one before', async () => {
    connect()
    await hub.until(() => hub.hellos.length === 1)
    const first = ports.storedChain
    expect(first).toBe(hub.chain)
    hub.cut()
    await hub.until(() => hub.hellos.length === 2)
    expect(hub.hellos.map(({ chain }) => chain)).toEqual(['', first])
    expect(ports.storedChain).toBe(hub.chain)
  })

  it('[JOIN-4.5] a copy of the agent is refused and says why', async () => {
    hub.chain = 'known-to-the-hub-alone'
    connect()
    await hub.until(() => hub.connections === 1)
    await ports.until(() => ports.lines.length > 0)
    expect(ports.lines[0]).toContain('AGENT_CLONED')
    expect(hub.hellos).toEqual([])
  })

  it('[LINK-1.4] a hub with another key gets no signature', async () => {
    hub.keys = { ...hub.keys, publicKey: ports.keys.publicKey }
    connect()
    await ports.until(() => ports.lines.length > 0)
    expect(ports.lines[0]).toContain('fingerprint')
    expect(hub.connections).toBe(0)
  })
})

describe('sending', () => {
  it('[ACK-2.1] sends a long log in batches of 64, several in flight, all of it', async () => {
    ports.fill('s1', 1_000)
    connect()
    await drained('s1', 1_000)
    expect(hub.seqs('s1')).toEqual(numbers(1_000))
    expect(Math.max(...hub.batches.map(({ events }) => events.length))).toBe(64)
    expect(hub.duplicates).toBe(0)
  })

  it('[FLOW-1.5] [FLOW-1.2] holds no more un-acked than the window, and serves sessions in turn', async () => {
    hub.limits.windowEvents = 128
    ports.fill('s1', 300)
    ports.fill('s2', 300)
    connect()
    await Promise.all([drained('s1', 300), drained('s2', 300)])
    expect(hub.batches.slice(0, 4).map(({ sessionId }) => sessionId)).toEqual(['s1', 's2', 's1', 's2'])
    expect(hub.mostUnanswered).toBeLessThanOrEqual(128)
  })

  it('[LINK-2] a session that begins later is reported on its own', async () => {
    connect()
    await ports.until(() => ports.presence.length === 1)
    ports.fill('s9', 3)
    link.appended('s9', 3)
    await drained('s9', 3)
    ports.fill('s9', 2)
    link.appended('s9', 5)
    await drained('s9', 5)
    expect(hub.reports.map((page) => page.map(({ sessionId }) => sessionId))).toEqual([[], ['s9']])
  })

  it('[ACK-4.2] [F10] goes back to where the hub wants it after a gap', async () => {
    hub.faults.loseBatches = 2
    ports.fill('s1', 300)
    connect()
    await drained('s1', 300)
    expect(hub.seqs('s1')).toEqual(numbers(300))
  })

  it('[REB-2.1] sends what was pruned as one gap', async () => {
    ports.fill('s1', 20)
    ports.logs.get('s1')?.events.splice(0, 5)
    hub.sessions.set('s1', [event(1)])
    connect()
    await drained('s1', 17)
    expect(
      hub.sessions
        .get('s1')
        ?.slice(0, 3)
        .map(({ seq, to, kind }) => [seq, to ?? seq, kind]),
    ).toEqual([
      [1, 1, 'assistant_text'],
      [2, 5, 'gap'],
      [6, 6, 'assistant_text'],
    ])
  })

  it('[REB-1.4] a log that the hub knows otherwise is moved, then goes on behind a gap', async () => {
    ports.fill('s1', 6)
    hub.sessions.set('s1', [event(1), event(2), event(3, 'another text'), event(4, 'and another')])
    connect()
    await hub.until(() => hub.seqs('s1').length >= 9)
    expect(ports.rebases).toEqual([{ to: 4, held: 2 }])
    expect(hub.sessions.get('s1')?.map(({ seq, body }) => [seq, JSON.parse(body).text ?? 'gap'])).toEqual([
      [1, 'text 1'],
      [2, 'text 2'],
      [3, 'another text'],
      [4, 'and another'],
      [5, 'gap'],
      [6, 'text 3'],
      [7, 'text 4'],
      [8, 'text 5'],
      [9, 'text 6'],
    ])
  })

  it('[SES-3.8] an unknown session is sent from its beginning, a deleted one not at all', async () => {
    hub.deleted.add('gone')
    ports.fill('gone', 5)
    ports.fill('s1', 5)
    Object.assign(ports.logs.get('s1') ?? {}, { acked: 5, ackedEpoch: 'an-older-epoch' })
    connect()
    await drained('s1', 5)
    expect(hub.seqs('gone')).toEqual([])
    expect(ports.verdicts).toEqual([
      { sessionId: 'gone', verdict: 'deleted' },
      { sessionId: 's1', verdict: 'unknown' },
    ])
  })

  it('[BAD-1.2] a blocked stream stops, the others go on', async () => {
    hub.blocked.add('s1')
    ports.fill('s1', 5)
    ports.fill('s2', 5)
    connect()
    await drained('s2', 5)
    await ports.until(() => ports.stoppedStreams.length > 0)
    expect(ports.stoppedStreams).toEqual(['s1'])
    expect(hub.seqs('s1')).toEqual([])
  })

  it('[F17] waits when the hub asks for a pause, and goes on afterwards', async () => {
    connect()
    await ports.until(() => ports.presence.length === 1)
    hub.push('hold', { ms: 50, code: 'STORAGE_UNAVAILABLE' })
    await ports.until(() => ports.lines.some((line) => line.includes('pause')))
    ports.fill('s1', 3)
    link.appended('s1', 3)
    await hub.until(() => hub.reports.length === 2)
    expect(hub.batches).toEqual([])
    await drained('s1', 3)
  })
})

describe('a bad line', () => {
  it('[F6] [F2] what was stored but not acked is found by the next report', async () => {
    hub.faults.cutAfterStore = 1
    ports.fill('s1', 200)
    connect()
    await drained('s1', 200)
    expect(hub.seqs('s1')).toEqual(numbers(200))
    await ports.until(() => ports.presence.length === 3)
    expect(ports.presence).toEqual([true, false, true])
    await hub.until(() => hub.duplicates > 0)
    expect(hub.seqs('s1')).toEqual(numbers(200))
  })

  it('[F6] a hub that restarts gets everything after what it holds', async () => {
    ports.fill('s1', 100)
    connect()
    await drained('s1', 100)
    await hub.stop()
    ports.fill('s1', 50)
    link.appended('s1', 150)
    await ports.until(() => ports.lines.length > 0)
    await hub.start()
    await drained('s1', 150)
    expect(hub.seqs('s1')).toEqual(numbers(150))
    expect(hub.duplicates).toBe(0)
  })

  it('[LINK-4.1] [F7] a hub that keeps silent is left, and gets everything on the next connection', async () => {
    hub.faults.swallowBatches = 4
    ports.fill('s1', 200)
    connect(300)
    await drained('s1', 200)
    expect(hub.seqs('s1')).toEqual(numbers(200))
    expect(ports.lines[0]).toContain('stopped answering')
  })

  it('[F11] a fenced connection is given up for a new one', async () => {
    hub.faults.fenceBatches = 1
    ports.fill('s1', 10)
    connect()
    await drained('s1', 10)
    expect(ports.lines[0]).toContain('newer connection')
    expect(hub.connections).toBe(2)
  })

  it('[LINK-4.14] nothing is emitted while there is no connection', async () => {
    connect()
    await ports.until(() => ports.presence.length === 1)
    await hub.stop()
    await ports.until(() => ports.presence.length === 2)
    for (const rev of numbers(5)) link.state(state(rev))
    link.live([])
    ports.hostStates = [state(6)]
    await hub.start()
    await hub.until(() => hub.states.length > 0)
    expect(hub.states.map(({ rev }) => rev)).toEqual([6])
    expect(hub.live).toEqual([])
  })

  it('[T55] a refused upgrade is tried again with a fresh nonce', async () => {
    hub.faults.refuseUpgrades = 1
    connect()
    await hub.until(() => hub.hellos.length === 1)
    expect(ports.lines).toHaveLength(1)
  })

  it('[JOIN-3.2] a revoked agent does not try again', async () => {
    connect()
    await ports.until(() => ports.presence.length === 1)
    hub.push('revoked', { code: 'AGENT_REVOKED', message: 'Revoked by Ana.' })
    await ports.until(() => revoked.length === 1)
    expect(revoked).toEqual(['Revoked by Ana.'])
    expect(hub.connections).toBe(1)
  })

  it.each([{}, { code: 'HUB_RESTORED' }, ['AGENT_REVOKED']])(
    '[JOIN-3] a frame that does not say revoked in so many words is no more than an end of the connection: %j',
    async (frame) => {
      connect()
      await ports.until(() => ports.presence.length === 1)
      hub.push('revoked', frame)
      await ports.until(() => hub.connections === 2)
      expect(revoked).toEqual([])
    },
  )

  it('[JOIN-1.9] an agent that waits for approval says so once, asks again by itself, and comes in', async () => {
    hub.faults.notAdmitted = 3
    connect()
    await hub.until(() => hub.ready)
    expect([hub.connections, pending, revoked, ports.lines]).toEqual([4, 1, [], []])
  })

  it('[JOIN-3] [LINK-1.11] an agent revoked while away learns it from the hub that has proved its key, and from nobody else', async () => {
    hub.refusal = new CodedError('AGENT_REVOKED', 'Said by a stranger.')
    connect()
    await ports.until(() => ports.lines.some((line) => line.includes('did not prove to be the hub')))
    expect(revoked).toEqual([])
    hub.refusal = null
    hub.revokes = true
    await ports.until(() => revoked.length === 1)
    expect(revoked).toEqual(['Revoked by Ana.'])
    expect(hub.connections).toBe(1)
  })
})

describe('what the hub says', () => {
  beforeEach(async () => {
    connect()
    await ports.until(() => ports.presence.length === 1)
  })

  it('[CMD-2.9] a command gets the answer of the machine, also when it is repeated', async () => {
    expect(await hub.command(command())).toEqual({ ok: true, answer: { state: 'accepted' } })
    expect(await hub.command(command())).toEqual({ ok: true, answer: { state: 'accepted' } })
    expect(ports.commands).toHaveLength(2)
  })

  it('[T62] a command with a bad id is malformed and reaches nobody', async () => {
    const reply = await hub.ask('command', { ...command(), sessionId: '../../etc' })
    expect(reply).toMatchObject({ ok: false, error: { code: 'MALFORMED_FRAME' } })
    expect(ports.commands).toEqual([])
  })

  it('[CMD-6.1] questions are answered, or refused with a code', async () => {
    const files = { kind: 'files', sessionId: 's1', query: '' }
    expect(await hub.ask('question', files)).toEqual({ ok: true, answer: { files: ['asked files'], complete: true } })
    expect(await hub.ask('question', { kind: 'folders' })).toMatchObject({
      ok: false,
      error: { code: 'PATH_NOT_ALLOWED' },
    })
    expect(await hub.ask('question', { kind: 'shell' })).toMatchObject({
      ok: false,
      error: { code: 'MALFORMED_FRAME' },
    })
  })

  it('[CMD-3] news of a command is repeated after the next hello until the hub confirms it', async () => {
    hub.cut()
    ports.pendingNews = [{ commandId: 'c1', sessionId: 's1', answer: { state: 'done' } }]
    await hub.until(() => hub.news.length === 1)
    await ports.until(() => ports.pendingNews.length === 0)
  })
})
