/** Sessions on the bus of the built hub: what they publish, behind the ack, with a hub that dies between the two; who sees it; and what is said to them. */
import type { BusMessage } from '@roundhouse/backend-types'
import { createHubClient, HubRest, signIn, Transport } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { owner } from '../support/processes/hub-process'
import { PlayedMachine } from '../support/rigs/played-machine'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { BusProgram } from '../support/wire/bus-program'
import { hubOfFile } from '../support/wire/hub-of-file'
import { envelope, runningState } from '../support/wire/raw-events'

const { hub, web } = hubOfFile('published')
const LINES = wholeMatrix ? 60 : 30

async function everything(rest: HubRest): Promise<BusMessage[]> {
  const all: BusMessage[] = []
  for (let after = 0; ; ) {
    const page = await rest.call('listMessages', { query: { after, limit: 50 } })
    all.push(...page.items)
    after = page.next
    if (page.isEnd) return all
  }
}

it('[BUS-2.1] [BUS-2.2] [BUS-2.4] a hub that dies behind an ack gives each published event one offset, in order and without a hole', async () => {
  const { rest, close } = await hub.client()
  const machine = await PlayedMachine.join(web, (await rest.makeEnrollmentToken({})).token)
  const settings = { backend: 'scripted', workDir: '/code' }
  const { sessionId, commandId } = await rest.createSession({ agentId: machine.agentId, settings, prompt: 'Go.' })
  const logId = `log_${sessionId}`
  const said = Array.from({ length: LINES }, (_, i) => ({
    kind: 'published',
    id: `m-${i}`,
    topic: `worker.${sessionId}.event`,
    schema: 'worker-event-v1',
    data: { kind: 'LOG', severity: 'info', message: `line ${i}` },
  }))
  const events = [
    { kind: 'session_created', commandId, logId, settings, realWorkDir: '/code' },
    { kind: 'session_started', procId: 'p', backendSessionId: 'b', resumed: false },
    ...said,
  ].map((event, i) => envelope(event, { seq: i + 1 }))
  const last = events.length

  let acked = 0
  /** What a machine says first of a session, on each connection. */
  const report = async () => {
    const session = { sessionId, logId, firstRetained: 1, last, acked, ackedEpoch: '' }
    await machine.ask('sessions', { last: true, sessions: [session] })
    machine.tell('state', runningState(sessionId, { atSeq: acked }))
  }
  await report()
  let deaths = 0
  while (acked < last) {
    const lot = events.slice(acked, acked + 3)
    const isTaken = await machine.ask('events', { sessionId, logId, events: lot }).then(
      () => true,
      () => false,
    )
    // Of each lot, half of the time the hub dies with the ack on its way or just told.
    if (isTaken) acked += lot.length
    if (isTaken && acked % 2 === 0) continue
    await hub.kill()
    deaths += 1
    await hub.start()
    await until('the hub to take the machine', async () => {
      await machine.connect()
      await report()
      return true
    })
  }

  const lineOf = ({ data }: BusMessage) => data.message
  const ofSession = async () => (await everything(rest)).filter(({ topic }) => topic === `worker.${sessionId}.event`)
  await until('the bus to have all', async () => (await ofSession()).length >= LINES)
  const all = await everything(rest)
  expect((await ofSession()).map(lineOf)).toEqual(said.map(({ data }) => data.message))
  expect(all.map(({ offset }) => offset)).toEqual(all.map((_, i) => i + 1))
  expect(deaths).toBeGreaterThan(LINES / 8)
  machine.close()
  close()
}, 180_000)

describe('sessions on two machines', () => {
  const settings = { backend: 'scripted', workDir: '/code' }
  const turn = { turnId: 'turn_1', procId: 'p' }
  const call = {
    callId: 'call_1',
    toolName: 'Bash',
    input: { command: 'make' },
    display: { verb: 'Run', wish: 'run make', paths: [] },
    shape: { kind: 'command' },
  }
  let made = 0

  /** An orchestrator of the person with this login, the owner's without. */
  async function orchestrator(email = owner.email) {
    const client = createHubClient(await signIn(hub.url, email, owner.password))
    const request = { name: email, scopes: ['orchestrator' as const], ttlDays: 1, password: owner.password }
    const { token } = await client.rest.makeToken(request)
    client.close()
    const headers = () => ({ authorization: `Bearer ${token}` })
    return { token, rest: new HubRest(new Transport({ baseUrl: hub.url, headers })) }
  }

  const joined = async () => {
    const { rest, close } = await hub.client()
    const machine = await PlayedMachine.join(web, (await rest.makeEnrollmentToken({})).token)
    return { machine, rest, close }
  }

  /** A session that runs a turn, has asked for a permission, and said something on the bus. */
  async function begin(machine: PlayedMachine, rest: HubRest, said: string) {
    const { sessionId, commandId } = await rest.createSession({ agentId: machine.agentId, settings, prompt: 'Go.' })
    const logId = `log_${sessionId}`
    const requestId = `req_${++made}`
    const about = { requestId, ...turn, digest: 'd'.repeat(64), cwd: '/code', askedAt: Date.now() }
    const ask = { ...call, ...about, canEdit: true, canExplainDeny: true, filesPinned: true, redactedSpans: 0 }
    const event = { id: `said-${made}`, topic: `worker.${sessionId}.event`, schema: 'worker-event-v1' }
    const events = [
      { kind: 'session_created', commandId, logId, settings, realWorkDir: '/code' },
      { kind: 'session_started', procId: 'p', backendSessionId: 'b', resumed: false },
      { kind: 'turn_started', commandId, ...turn, trigger: 'prompt', promptId: 'p1' },
      { kind: 'published', ...event, data: { kind: 'LOG', severity: 'info', message: said } },
      { kind: 'tool_use', ...turn, ...call },
      { kind: 'permission_requested', ...turn, ask },
    ].map((body, i) => envelope(body, { seq: i + 1 }))
    const last = events.length
    const sessions = [{ sessionId, logId, firstRetained: 1, last, acked: 0, ackedEpoch: '' }]
    await machine.ask('sessions', { last: true, sessions })
    machine.tell('state', runningState(sessionId, { atSeq: last, turnId: turn.turnId, requests: [ask] }))
    await machine.ask('events', { sessionId, logId, events })
    const isKnown = async () => (await rest.call('listPeers')).items.some(({ peerId }) => peerId === sessionId)
    await until('the bus to know it', isKnown)
    return { sessionId, requestId }
  }

  const order = (to: string, name: string, data: object) => ({
    ...{ v: 1, id: `order-${++made}`, topic: `cmd.${to}.${name}` },
    ...{ schema: `cmd-${name.replaceAll('_', '-')}-v1`, data },
  })
  const told = (machine: PlayedMachine, ofSession: string) => [
    ...new Map(
      machine.commands.filter(({ sessionId }) => sessionId === ofSession).map((one) => [one.commandId, one.body]),
    ).values(),
  ]

  it('[BUS-7.2] [BUS-7.3] [BUS-7.7] a person with one machine hears and reads nothing of the other with `**`, and may command nobody there', async () => {
    const [{ machine: shared, rest, close }, other] = [await joined(), await joined()]
    const email = await web.addPerson('petra', 'operator', [shared.agentId])
    const petra = await orchestrator(email)
    const at = await BusProgram.open(hub.port, petra.token)
    await at.ask('subscribe', { patterns: ['**'], after: 0 })
    const hidden = await begin(other.machine, rest, 'of the hidden machine')
    const seen = await begin(shared, rest, 'of the shared machine')
    await until('what she may hear', () => at.heard.some(({ data }) => data.message === 'of the shared machine'))
    const read = await everything(petra.rest)
    const peers = (await petra.rest.call('listPeers')).items
    for (const one of [at.heard, read, peers]) {
      expect(JSON.stringify(one)).toContain(seen.sessionId)
      expect(JSON.stringify(one)).not.toContain(hidden.sessionId)
      expect(JSON.stringify(one)).not.toContain(other.machine.agentId)
      expect(JSON.stringify(one)).not.toContain('of the hidden machine')
    }
    const refused = async (to: string) =>
      (await at.ask('publish', { messages: [order(to, 'abort', { reason: 'x' })] })).results
    expect(await refused(hidden.sessionId)).toEqual(await refused('ses_nobody'))
    expect(await refused(hidden.sessionId)).toMatchObject([{ ok: false, error: { code: 'TOPIC_FORBIDDEN' } }])
    expect(told(other.machine, hidden.sessionId).map(({ kind }) => kind)).toEqual(['session.create'])
    at.close()
    for (const one of [shared, other.machine]) one.close()
    close()
    other.close()
  })

  it('[BUS-10.4] [BUS-12.8] approve, reject, set_phase and an answer under the id of a permission request decide nothing: a person does', async () => {
    const { machine, rest, close } = await joined()
    const { sessionId, requestId } = await begin(machine, rest, 'I asked.')
    const boss = await orchestrator()
    const orders = [
      order(sessionId, 'approve', { correlation_id: requestId, chosen: 'allow' }),
      order(sessionId, 'reject', { correlation_id: requestId, reason: 'deny' }),
      order(sessionId, 'set_phase', { correlation_id: requestId, phase: 'SPAWN', reason: 'allow' }),
      order(sessionId, 'inject_text', { correlation_id: requestId, text: 'allow' }),
    ]
    const { results } = await boss.rest.call('publishMessages', { body: { messages: orders } })
    expect(results.map((result) => (result.ok ? 'ok' : result.error))).toEqual(orders.map(() => 'ok'))
    const id = { peerId: sessionId, requestId }
    const answer = boss.rest.call('answerAsk', { id, body: { decision: 'approve' }, key: 'answer-a-permission' })
    await expect(answer).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await until('the machine to have all', () => told(machine, sessionId).length === 1 + orders.length)
    const asked = async () => (await rest.snapshot(sessionId, 1)).session.requests
    expect(await asked()).toMatchObject([{ ask: { requestId }, outcome: 'open' }])
    expect((await asked())[0]?.decision).toBeNull()
    await rest.decide(requestId, { decision: 'deny', digest: 'd'.repeat(64) })
    await until('the decision of the person', () => told(machine, sessionId).length === 2 + orders.length)
    expect(told(machine, sessionId).map(({ kind }) => kind)).toEqual([
      ...['session.create', 'program.tell', 'program.tell', 'program.tell', 'prompt.send'],
      'permission.decide',
    ])
    machine.close()
    close()
  })

  it('[BUS-10.6] a command to a role reaches each session of it once, however often it is repeated, and no session that the person may not see', async () => {
    const [{ machine, rest, close }, other] = [await joined(), await joined()]
    const email = await web.addPerson('quinn', 'operator', [machine.agentId])
    const quinn = await orchestrator(email)
    const [first, second] = [await begin(machine, rest, '1'), await begin(machine, rest, '2')]
    const hidden = await begin(other.machine, rest, '3')
    const messages = [order('role', 'worker', {})].map((one) => ({
      ...one,
      ...{ schema: 'cmd-inject-text-v1', data: { text: 'To all.' } },
    }))
    for (const duplicate of [false, true]) {
      const { results } = await quinn.rest.call('publishMessages', { body: { messages } })
      expect(results).toMatchObject([{ ok: true, duplicate }])
    }
    const prompts = (of: PlayedMachine, { sessionId }: { sessionId: string }) =>
      told(of, sessionId).flatMap((body) => (body.kind === 'prompt.send' ? [body.text] : []))
    await until('both to have it', () => [first, second].every((one) => prompts(machine, one).length > 0))
    expect([prompts(machine, first), prompts(machine, second)]).toEqual([['To all.'], ['To all.']])
    expect(told(other.machine, hidden.sessionId).map(({ kind }) => kind)).toEqual(['session.create'])
    for (const one of [machine, other.machine]) one.close()
    close()
    other.close()
  })
})
