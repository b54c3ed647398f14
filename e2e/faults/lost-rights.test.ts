/**
 * Rights that are taken away while a session streams: from the moment at which the hub has said so, the socket that was
 * opened with them hears nothing, does nothing, and is closed. Real processes, raw sockets, the clock only printed.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { logOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { owner } from '../support/processes/hub-process'
import { isRunning, processesOf } from '../support/processes/processes'
import { type Rig, startRig } from '../support/rigs/rig'
import { runningState, says } from '../support/wire/raw-events'
import { RawAgent, RawSocket } from '../support/wire/raw-socket'
import { type RawAnswer, RawWeb } from '../support/wire/raw-web'

let rig: Rig
let web: RawWeb
/** Of the owner's login, which takes the rights away. */
let login: string
const opened: RawSocket[] = []

beforeAll(async () => {
  rig = await startRig()
  web = new RawWeb(rig.system.hub)
  login = await web.asOwner()
})
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close()
})
afterAll(() => rig.dispose())

let keys = 0
type Headers = Record<string, string>
const send = (method: string, target: string, headers: Headers, body?: object): Promise<RawAnswer> =>
  web.ask(`/api/v1${target}`, {
    method,
    headers: { ...web.json, 'idempotency-key': `lost-rights-${keys++}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const asOwner = (method: string, target: string, body?: object) => send(method, target, { login }, body)
const headAtHome = (sessionId: string) => logOf(rig.system.agent.sessionFolder(sessionId)).length
const open = (headers: Headers) => {
  const socket = new RawSocket(web, headers)
  opened.push(socket)
  return socket
}
/** How long the socket outlived the answer: told, not judged. */
async function closes(what: string, socket: RawSocket): Promise<void> {
  const from = performance.now()
  await socket.closed
  console.log(`${what}: closed ${(performance.now() - from).toFixed(0)} ms after the answer`)
}

describe('a person who watches a session while it streams', () => {
  let streaming: string
  let asking: { requestId: string; digest: string }
  beforeAll(async () => {
    streaming = await rig.begin([{ count: { to: 100_000, delayMs: 30 } }])
    const sessionId = await rig.begin([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }])
    asking = await rig.asked(sessionId)
  })
  afterAll(() => rig.rest.stop(streaming))

  /** Every number that the socket was told of an event. */
  const numbersHeard = ({ heard }: RawSocket): number[] =>
    heard
      .filter((frame) => frame.startsWith('42/viewer,["events"'))
      .flatMap((frame) => (JSON.parse(frame.slice(10)) as [string, { events: Array<{ seq: number }> }])[1].events)
      .map(({ seq }) => seq)
  const watch = (afterSeq: number, hubEpoch: string) => JSON.stringify({ sessionId: streaming, afterSeq, hubEpoch })

  interface Rightful {
    userId: string
    email: string
    agentId: string
    login: string
  }
  interface Loss {
    /** What the socket and the requests show; the person's login unless said. */
    credential?: (who: Rightful) => Promise<Headers>
    take: (who: Rightful, credential: Headers) => Promise<RawAnswer>
    /** What the credential is answered with afterwards. */
    after: { ask: 'AUTH_REQUIRED' | 'FORBIDDEN'; watch: 'AUTH_REQUIRED' | 'FORBIDDEN' | 'ok' }
  }
  const nobody = { ask: 'AUTH_REQUIRED', watch: 'AUTH_REQUIRED' } as const
  const change = (body: object) => (who: Rightful) => asOwner('PATCH', `/people/${who.userId}`, body)
  const losses: Array<[string, Loss]> = [
    ['the person is disabled', { take: change({ disabled: true }), after: nobody }],
    ['the person is removed', { take: ({ userId }) => asOwner('DELETE', `/people/${userId}`), after: nobody }],
    ['the role is lowered', { take: change({ role: 'viewer' }), after: { ask: 'FORBIDDEN', watch: 'ok' } }],
    ['the share is taken back', { take: change({ agents: [] }), after: { ask: 'FORBIDDEN', watch: 'FORBIDDEN' } }],
    [
      'the token is revoked',
      {
        credential: async (who) => {
          const request = { name: 'x', scopes: ['read', 'decide', 'operate'], ttlDays: 1, password: owner.password }
          const { token } = JSON.parse((await send('POST', '/me/tokens', { login: who.login }, request)).body)
          return { authorization: `Bearer ${token}` }
        },
        take: async (who) => {
          const [token] = JSON.parse((await send('GET', '/me/tokens', { login: who.login })).body).items
          return send('DELETE', `/me/tokens/${token.tokenId}`, { login: who.login })
        },
        after: nobody,
      },
    ],
    [
      'the login is ended from another one',
      {
        take: async (who) => {
          const other = await web.signIn(who.email)
          const { items } = JSON.parse((await send('GET', '/me/logins', { login: other })).body)
          const first = items.find(({ current }: { current: boolean }) => !current)
          return send('DELETE', `/me/logins/${first.loginId}`, { login: other })
        },
        after: nobody,
      },
    ],
    ['the person signs out', { take: (_who, own) => web.post('/api/auth/sign-out', {}, own), after: nobody }],
  ]

  async function rightful(name: string): Promise<Rightful> {
    const email = await web.addPerson(name, 'operator')
    const { items } = JSON.parse((await asOwner('GET', '/people')).body)
    const [agent] = (await rig.rest.agents()).items
    const { userId } = items.find((one: { email: string }) => one.email === email)
    return { userId, email, agentId: agent?.agentId ?? '', login: await web.signIn(email) }
  }

  it.each(losses)('[A22] [T77] [I10] loses it at once when %s', async (what, { credential, take, after }) => {
    const who = await rightful(`person-${keys++}`)
    const own = (await credential?.(who)) ?? { login: who.login }
    const isToken = 'authorization' in own
    const asSocket = isToken ? own : { ...own, origin: web.origin }
    const { hubEpoch, head: from } = await rig.rest.snapshot(streaming, 1)
    const socket = await open(asSocket).enter('viewer')
    expect((await socket.ask('viewer', 'watch.inbox', '{}')).ok).toBe(true)
    expect((await socket.ask('viewer', 'watch', watch(from, hubEpoch))).ok).toBe(true)
    await until('the stream to be heard', () => numbersHeard(socket).length > 10)

    expect((await take(who, own)).status).toBe(200)
    const head = rig.stored(streaming) // whatever is stored from now on is none of theirs
    socket.send(`42/viewer,900001["watch",${watch(0, hubEpoch)}]`)
    await closes(what, socket)
    const prompted = await send('POST', `/sessions/${streaming}/prompts`, own, { promptId: `p${keys}`, text: 'mine' })
    const decision = { decision: 'allow', digest: asking.digest }
    const decided = await send('POST', `/permissions/${asking.requestId}/decision`, own, decision)
    expect([prompted.code, decided.code]).toEqual([after.ask, after.ask])
    await until('the stream to go on', () => rig.stored(streaming) > head + 20)
    expect(Math.max(...numbersHeard(socket))).toBeLessThanOrEqual(head)
    expect(socket.heard.filter((frame) => frame.startsWith('43/viewer,900001'))).toEqual([])
    const { requests } = await rig.rest.inbox()
    expect(requests.map(({ ask, decision: made }) => [ask.requestId, made ?? null])).toEqual([[asking.requestId, null]])

    const again = open(asSocket)
    await again.status
    again.send(await again.entry('viewer'))
    if (after.watch === 'AUTH_REQUIRED') expect(await again.hears('44/viewer,')).toContain('AUTH_REQUIRED')
    else {
      await again.hears('40/viewer,')
      const reply = await again.ask('viewer', 'watch', watch(rig.stored(streaming), hubEpoch))
      expect(reply.ok ? 'ok' : reply.error?.code).toBe(after.watch)
    }
  })
})

describe('a machine that streams', () => {
  /** One of ours, which does not mind what it is told: it goes on sending. */
  async function stubborn() {
    const made = JSON.parse((await asOwner('POST', '/enrollment-tokens', {})).body)
    const agent = new RawAgent(web)
    await agent.enroll(made.token)
    const settings = { backend: 'scripted', workDir: '/code' }
    const { sessionId } = JSON.parse((await asOwner('POST', '/sessions', { agentId: agent.agentId, settings })).body)
    const socket = await agent.connect()
    opened.push(socket)
    let seq = 0
    const events = (text: string) => {
      seq += 1
      return JSON.stringify({ sessionId, logId: 'log_raw', events: [says(text, seq)] })
    }
    for (let i = 0; i < 20; i += 1)
      expect(await socket.ask('agent', 'events', events('before'))).toEqual({ ok: true, acked: seq })
    return { agent, sessionId, socket, events }
  }
  const viewOf = async (sessionId: string) => JSON.parse((await asOwner('GET', `/sessions/${sessionId}`)).body)

  it.each([
    ['revoked', 'AGENT_REVOKED'],
    ['disabled', 'AGENT_DISABLED'],
  ])(
    '[A22] [T57] [I10] [JOIN-3] is %s: nothing that it says counts any more, and it hears no command',
    async (state, code) => {
      const { agent, sessionId, socket, events } = await stubborn()
      const viewer = await open({ login, origin: web.origin }).enter('viewer')
      const { head, hubEpoch } = await viewOf(sessionId)
      const watching = JSON.stringify({ sessionId, afterSeq: head, hubEpoch })
      expect((await viewer.ask('viewer', 'watch', watching)).ok).toBe(true)

      const verb = state === 'revoked' ? 'revoke' : 'disable'
      expect((await asOwner('POST', `/agents/${agent.agentId}/${verb}`, {})).status).toBe(200)
      const before = await viewOf(sessionId)
      const frame = {
        sessionId,
        procId: 'p',
        blockId: 'b',
        kind: 'assistant_text',
        afterSeq: head,
        offset: 0,
        text: 'late',
      }
      const ask = {
        requestId: 'late',
        procId: 'p',
        callId: 'c',
        toolName: 'Bash',
        input: {},
        digest: 'd',
        cwd: '/code',
      }
      const more = { askedAt: 1, canEdit: false, canExplainDeny: false, filesPinned: true, redactedSpans: 0 }
      const late = [
        ['events', events('late')],
        ['live', JSON.stringify({ frames: [frame] })],
        ['state', JSON.stringify(runningState(sessionId, { rev: 9, requests: [{ ...ask, ...more }] }))],
      ]
      const heard = socket.heard.length
      for (const [i, [event, body]] of late.entries()) socket.send(`42/agent,90000${i}["${event}",${body}]`)
      const prompted = await asOwner('POST', `/sessions/${sessionId}/prompts`, {
        promptId: `p${keys}`,
        text: 'a prompt',
      })
      await closes(`a machine is ${state}`, socket)
      expect(socket.heard.filter((one) => /^43\/agent,90000\d\[\{"ok":true/.test(one))).toEqual([])
      expect(socket.heard.slice(heard).filter((one) => one.includes('["command"'))).toEqual([])
      expect(socket.heard.some((one) => one.includes(code))).toBe(true)
      expect(await socketOf(agent)).toContain(code)
      const after = await viewOf(sessionId)
      expect({ head: after.head, requests: after.session.requests, events: after.events }).toEqual({
        head: before.head,
        requests: before.session.requests,
        events: before.events,
      })
      expect(viewer.heard.filter((one) => one.includes('"text":"late"') || one.includes('"requestId":"late"'))).toEqual(
        [],
      )
      if (prompted.status < 300) {
        const [command] = after.session.commands.filter(({ kind }: { kind: string }) => kind === 'prompt.send')
        expect(command.state).not.toBe('accepted')
      }
    },
  )

  /** What a new connection of it is told. */
  async function socketOf(agent: RawAgent): Promise<string> {
    const socket = open(await agent.headers())
    await socket.status
    socket.send('40/agent,')
    const told = await socket.hears('42/agent,["revoked"')
    await socket.closed
    return told
  }

  it('[A22] [T57] [JOIN-3.3] is disabled: its turn goes on at home, the hub gets nothing of it, and all of it later', async () => {
    const [machine] = (await rig.rest.agents()).items
    const agentId = machine?.agentId ?? ''
    const sessionId = await rig.begin([{ count: { to: 150, delayMs: 10 } }])
    await until('the stream', () => rig.stored(sessionId) > 20)
    await rig.rest.disableAgent(agentId)
    const head = rig.stored(sessionId)
    await until('the turn to end on the machine', () => headAtHome(sessionId) > 150)
    expect(rig.stored(sessionId)).toBe(head)
    await rig.rest.enableAgent(agentId)
    await rig.system.agent.kill() // it would ask again within half a minute by itself
    await rig.system.agent.start()
    await rig.agree(sessionId)
  })

  it('[A22] [T57] [JOIN-3.2] [JOIN-3.4] is revoked: its programs end, the hub gets nothing more and lists it as ended, its log stays', async () => {
    const [machine] = (await rig.rest.agents()).items
    const sessionId = await rig.begin([{ count: { to: 100_000, delayMs: 30 } }])
    await until('the stream', () => rig.stored(sessionId) > 20)
    const programs = processesOf(sessionId)
    await rig.rest.revokeAgent(machine?.agentId ?? '')
    const head = rig.stored(sessionId)
    const from = performance.now()
    await rig.system.agent.ended()
    console.log(`a machine is revoked: its programs ended ${(performance.now() - from).toFixed(0)} ms after the answer`)
    await until('its programs to end', () => !programs.some(isRunning))
    expect(rig.stored(sessionId)).toBe(head)
    expect(headAtHome(sessionId)).toBeGreaterThanOrEqual(head)
    const isListed = async (status: 'ended' | 'running') =>
      (await rig.rest.sessions({ status, limit: 100 })).items.some((one) => one.sessionId === sessionId)
    expect([await isListed('ended'), await isListed('running')]).toEqual([true, false])
  })
})
