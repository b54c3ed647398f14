/** A stranger, a person who only reads, and another machine, with plain WebSockets against the production build. */
import { agentToHub, viewerToHub } from '@roundhouse/backend-types'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hubOfFile } from '../support/wire/hub-of-file'
import { envelope, runningState, says } from '../support/wire/raw-events'
import { hello, RawAgent, RawSocket } from '../support/wire/raw-socket'

const own = hubOfFile('outsider')
const { hub, web } = own
const mine = new RawAgent(web)
const theirs = new RawAgent(web)
const opened: RawSocket[] = []

let login: string
let person: Record<string, string>

beforeAll(async () => {
  login = own.login
  person = { login, origin: web.origin }
  for (const agent of [mine, theirs]) expect((await agent.enroll(await newToken())).status).toBe(201)
})
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close()
})

let keys = 0
async function newToken(): Promise<string> {
  const made = await web.post('/api/v1/enrollment-tokens', {}, { login, 'idempotency-key': `token-${keys++}-of-ours` })
  return JSON.parse(made.body).token
}

/** What the hub listens to, as the contract says: a new frame cannot be forgotten here. */
const ofViewers = Object.keys(viewerToHub)
const ofAgents = Object.keys(agentToHub)

const open = (headers: Record<string, string>, query?: string) => kept(new RawSocket(web, headers, query))
const asViewer = () => open(person).enter('viewer')
const asAgent = async (agent: RawAgent) => kept(await agent.connect())
function kept(socket: RawSocket): RawSocket {
  opened.push(socket)
  return socket
}
const isUp = async () => expect((await web.ask('/api/v1/health')).status).toBe(200)

describe('a handshake', () => {
  it('[T70] [A11] [A12] [A13] [A14] [A15] is refused but from our Host and Origin, and nobody enters a namespace without a credential', async () => {
    const cases: Array<[number, Record<string, string>]> = [
      [403, {}],
      [403, { login }],
      [403, { login, origin: 'null' }],
      [403, { login, origin: 'http://evil.example' }],
      [403, { login, origin: `http://127.0.0.1:${hub.port}` }],
      [421, { login, origin: 'http://evil.example', host: 'evil.example' }],
      [421, { login, origin: web.origin, host: `evil.example:${hub.port}` }],
      [101, { origin: web.origin }],
      [101, { origin: web.origin, cookie: `roundhouse.session_token=${login}` }],
      [401, { 'x-roundhouse-agent': mine.agentId }],
      [401, { 'x-roundhouse-agent': '' }],
      [403, { 'x-roundhouse-agent': mine.agentId, origin: web.origin, login }],
      [101, person],
    ]
    for (const [status, headers] of cases) expect([headers, await open(headers).status]).toEqual([headers, status])
  })

  it('[T16] of another transport, another protocol or another connection is none', async () => {
    const socket = await asViewer()
    const sid = JSON.parse(socket.heard[0]?.slice(1) ?? '{}').sid
    for (const query of [
      'EIO=4&transport=polling',
      'EIO=4&transport=webtransport',
      'EIO=4&transport=websocket&transport=polling',
      `EIO=4&transport=websocket&sid=${sid}`,
      'EIO=4&transport=websocket&sid=__proto__',
    ]) {
      expect([query, await open(person, query).status]).toEqual([query, 400])
      expect([query, (await web.ask(`/socket.io/?${query}`, { headers: person })).code]).toEqual([query, 'NOT_FOUND'])
    }
    const old = open(person, 'EIO=3&transport=websocket')
    await old.closed
    expect(old.heard).toEqual([])
    expect((await socket.ask('viewer', 'watch.inbox', '{}')).ok).toBe(true)
  })

  it('[T55] [T56] of an agent needs its own key, this hub, and a nonce that nobody used', async () => {
    const good = await mine.headers()
    expect(await open(good).status).toBe(101)
    expect(await open(good).status).toBe(401)
    expect(await open(await mine.headers('http://other.example')).status).toBe(401)
    const stolen = { ...(await theirs.headers()), 'x-roundhouse-agent': mine.agentId }
    expect(await open(stolen).status).toBe(401)
    const { 'x-roundhouse-nonce': nonce = '' } = await mine.headers()
    for (const signature of ['', 'x', 'A'.repeat(86), '__proto__'])
      expect(
        await open({
          'x-roundhouse-agent': mine.agentId,
          'x-roundhouse-nonce': nonce,
          'x-roundhouse-signature': signature,
        }).status,
      ).toBe(401)
  })
})

describe('namespaces', () => {
  it('[WEB-1.2] lead nowhere without the credential that belongs to them', async () => {
    const made = { login: 'made up', origin: web.origin }
    const cookie = { cookie: `roundhouse.session_token=${login}`, origin: web.origin }
    for (const [headers, name, said] of [
      [made, 'viewer', 'AUTH_REQUIRED'],
      [cookie, 'viewer', 'AUTH_REQUIRED'],
      [made, 'agent', 'AUTH_FAILED'],
      [person, 'agent', 'AUTH_FAILED'],
      [person, 'nothing', 'Invalid namespace'],
      [person, '__proto__', 'Invalid namespace'],
      [{ ...(await mine.headers()), login }, 'viewer', 'AUTH_REQUIRED'],
    ] as const) {
      const socket = open(headers)
      await socket.status
      socket.send(await socket.entry(name))
      expect(await socket.hears(`44/${name},`)).toContain(said)
    }
  })

  it('[T79] [A30] have one socket for each connection, however often it is asked for, and no identity but the login', async () => {
    const socket = open(person)
    await socket.status
    const entry = (await socket.entry('viewer')).replace('{', '{"userId":"x","role":"owner","room":"inbox",')
    for (let i = 0; i < 500; i += 1) socket.send(entry)
    await socket.closed
    expect(socket.heard.filter((frame) => frame.startsWith('40/viewer,')).length).toBeLessThanOrEqual(1)
  })

  it('[T2] events before the namespace end the connection', async () => {
    for (const event of [...ofViewers, ...ofAgents]) {
      for (const [headers, name] of [
        [person, 'viewer'],
        [await theirs.headers(), 'agent'],
      ] as const) {
        const socket = open(headers)
        await socket.status
        socket.send(`42/${name},1[${JSON.stringify(event)},{}]`)
        await socket.closed
        expect(socket.heard).toHaveLength(1)
      }
    }
  })
})

/** As the body of any event: nothing of it is taken, and each is answered. */
const bodies: Array<[string, string]> = [
  ['nothing', 'null'],
  ['a list', '[]'],
  ['a word', '"x"'],
  ['an empty object', '{}'],
  ['a deep nest', `{"sessionId":"s","requests":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['pollution', '{"__proto__":{"sessionId":"x","polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
  ['huge numbers', '{"sessionId":"s","afterSeq":1e999,"from":1e999,"rev":1e999,"hubEpoch":"e"}'],
  ['negative numbers', '{"sessionId":"s","afterSeq":-1,"from":-1,"rev":-1,"hubEpoch":"e"}'],
  ['odd ids', '{"sessionId":"../../x:y","blockId":"","afterSeq":0,"from":0,"hubEpoch":"e"}'],
  ['another room', '{"sessionId":"inbox","afterSeq":0,"hubEpoch":"e","room":"inbox","userId":"x"}'],
]

describe('frames', () => {
  it.each(ofViewers)('[T2] %s of a person is answered, whatever it holds', async (event) => {
    const socket = await asViewer()
    for (const [what, body] of bodies) {
      const reply = await socket.ask('viewer', event, body)
      if (!reply.ok) expect(reply.error?.code, what).not.toBe('INTERNAL')
    }
    await isUp()
  })

  it.each(ofAgents)('[T2] %s of a machine is answered, whatever it holds', async (event) => {
    const socket = await asAgent(mine)
    for (const [what, body] of bodies) {
      const reply = await socket.ask('agent', event, body)
      if (!reply.ok) expect(reply.error?.code, what).not.toBe('INTERNAL')
    }
    await isUp()
  })

  const broken = ['42/viewer,["connect",{}]', '42/viewer,["disconnecting"]', '42/viewer,["newListener"]']
  const odd = [
    '42/viewer,1[]',
    '42/viewer,1{}',
    '43/viewer,"x"',
    '44/viewer,{}',
    '46/viewer,1[]',
    '4',
    '47',
    '49999999-',
    'x',
  ]
  const binary = ['451-/viewer,1["watch.inbox",{"_placeholder":true,"num":0}]', '45999999999-/viewer,["a"]', 'bAAAA']
  it.each([...broken, ...odd, ...binary])('[T2] [T15] %s ends the connection and nothing else', async (frame) => {
    const [bystander, socket] = [await asViewer(), await asViewer()]
    socket.send(frame)
    await socket.closed
    expect((await bystander.ask('viewer', 'watch.inbox', '{}')).ok).toBe(true)
  })

  it('[T15] [A49] of 10 MB and of bytes end the connection', async () => {
    for (const frame of [
      `42/viewer,1["watch.inbox",{"a":"${'x'.repeat(10_000_000)}"}]`,
      Buffer.from('42/viewer,1["a"]'),
    ]) {
      const socket = await asViewer()
      socket.send(frame)
      await socket.closed
    }
    await isUp()
  })

  it('[T2] with odd numbers of acknowledgements, and answers to nothing, do no harm', async () => {
    const socket = await asViewer()
    socket.send('43/viewer,5[]')
    socket.send('42/viewer,["error","x"]')
    socket.send('43/viewer,99999999999999999999[{"ok":true}]')
    for (const event of ['nothing', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])
      socket.send(`42/viewer,["${event}",{}]`)
    expect((await socket.ask('viewer', 'watch.inbox', '{}', '999999999999')).ok).toBe(true)
  })
})

describe('another machine', () => {
  const settings = { backend: 'scripted', workDir: '/code' }
  let sessionId: string
  beforeAll(async () => {
    const body = { agentId: mine.agentId, settings, title: '<img src=x onerror=alert(1)>' }
    const made = await web.post('/api/v1/sessions', body, { login, 'idempotency-key': 'a-session-of-mine' })
    expect(made.status, made.body).toBe(201)
    sessionId = JSON.parse(made.body).sessionId
  })

  const snapshot = async (id: string) =>
    JSON.parse((await web.ask(`/api/v1/sessions/${id}`, { headers: { login } })).body)
  const state = (change: object) => runningState(sessionId, change)

  it('[SES-1.2] writes, tells and asks nothing about a session that is not its own', async () => {
    const socket = await asAgent(theirs)
    const before = await snapshot(sessionId)
    const event = says('not theirs', 1)
    const events = await socket.ask('agent', 'events', JSON.stringify({ sessionId, logId: 'log_x', events: [event] }))
    expect(events.error?.code).toBe('SESSION_NOT_YOURS')
    const report = { sessionId, logId: 'log_x', firstRetained: 0, last: 0, acked: 0, ackedEpoch: '' }
    const verdicts = await socket.ask('agent', 'sessions', JSON.stringify({ sessions: [report], last: true }))
    expect(verdicts.verdicts).toEqual([{ sessionId, verdict: 'not_yours' }])
    await socket.ask('agent', 'state', JSON.stringify(state({ rev: 9 })))
    const frame = { sessionId, procId: 'p', blockId: 'b', kind: 'assistant_text', afterSeq: 0, offset: 0, text: 'x' }
    await socket.ask('agent', 'live', JSON.stringify({ frames: [frame] }))
    const [command] = before.session.commands
    const news = { commandId: command.commandId, sessionId, answer: { state: 'done' } }
    await socket.ask('agent', 'command', JSON.stringify(news))
    expect({ ...(await snapshot(sessionId)), session: { ...before.session, agentOnline: false } }).toEqual({
      ...before,
      session: { ...before.session, agentOnline: false },
    })
    expect((await snapshot(sessionId)).session.commands[0].state).toBe(command.state)
  })

  it('titles stay the text they are', async () => {
    expect((await snapshot(sessionId)).session.title).toBe('<img src=x onerror=alert(1)>')
  })

  const most = Number.MAX_SAFE_INTEGER
  it.each([
    ['a clock at the end of time', { now: most }],
    ['a clock at the beginning', { now: 0 }],
    ['every text at its longest', { software: 'x'.repeat(64), policyDigest: 'x'.repeat(128) }],
    ['letters that paint over others', { software: '\u202e\u0000\u001b[31m', host: { ...hello.host, name: '\u202e' } }],
    ['protocols that are none', { protocol: [most, -most, 1] }],
  ])('[BAD-1] a hello with %s is answered', async (_what, change) => {
    const socket = kept(await new RawSocket(web, await theirs.headers()).enter('agent'))
    const reply = await theirs.hello(socket, change)
    if (!reply.ok) expect(reply.error?.code).not.toBe('INTERNAL')
    const agents = await web.ask('/api/v1/agents', { headers: { login } })
    expect([agents.status, JSON.parse(agents.body).items.length]).toEqual([200, 2])
  })

  const ask = {
    requestId: 'r1',
    procId: 'p1',
    callId: 'c1',
    toolName: '\u202eBash\u001b]8;;http://evil.example\u0007',
    input: { command: 'ls' },
    digest: 'd',
    cwd: '/code',
    askedAt: 1,
    canEdit: true,
    canExplainDeny: true,
    filesPinned: true,
    redactedSpans: 0,
  }

  it('[BAD-1] [T2] its own session with the largest numbers and deepest values leaves every page readable', async () => {
    const socket = await asAgent(mine)
    const viewer = await asViewer()
    await viewer.ask('viewer', 'watch.inbox', '{}')
    const deep = 'a very deep value'
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const report = { sessionId, logId: 'log_m', firstRetained: most, last: most, acked: 0, ackedEpoch: 'e' }
    const frames = [
      ['sessions', { sessions: [report], last: true }],
      ['state', state({ leaseToken: most, rev: most, atSeq: most })],
      [
        'state',
        state({
          leaseToken: most,
          rev: most,
          requests: [{ ...ask, askedAt: most, expiresAt: most, redactedSpans: most }],
        }),
      ],
      ['state', state({ requests: [{ ...ask, requestId: 'r2', input: deep }] })],
      [
        'state',
        state({
          leaseToken: most,
          rev: most,
          requests: [{ ...ask, requestId: 'r3', sessionScope: { scope: deep, label: 'x' } }],
        }),
      ],
      [
        'events',
        { sessionId, logId: 'log_m', events: [envelope({ kind: 'assistant_text', text: 'x' }, { at: most, v: most })] },
      ],
      [
        'events',
        {
          sessionId,
          logId: 'log_m',
          events: [envelope({ kind: 'permission_requested', request: { ...ask, expiresAt: most } }, { seq: 2 })],
        },
      ],
      ['events', { sessionId, logId: 'log_m', events: [envelope({ kind: 'gap', reason: 'x' }, { seq: 3, to: most })] }],
      [
        'live',
        {
          frames: [
            { sessionId, procId: 'p', blockId: 'b', kind: 'assistant_text', afterSeq: most, offset: most, text: 'x' },
          ],
        },
      ],
      [
        'command',
        {
          commandId: 'c',
          sessionId,
          answer: { state: 'refused', error: { code: 'x', message: 'y', retryable: false, details: deep } },
        },
      ],
      ['manifest', { manifest: { ...hello.manifest, generatedAt: 'never', backends: deep } }],
    ] as const
    for (const [event, frame] of frames) {
      const reply = await socket.ask('agent', event, JSON.stringify(frame).replace(`"${deep}"`, nested))
      if (!reply.ok) expect([event, JSON.stringify(frame).slice(0, 200), reply.error?.code]).not.toContain('INTERNAL')
    }
    for (const target of [
      '/api/v1/inbox',
      '/api/v1/sessions',
      `/api/v1/sessions/${sessionId}`,
      `/api/v1/sessions/${sessionId}/events`,
    ]) {
      const answer = await web.ask(target, { headers: { login } })
      expect([target, answer.status, answer.status === 200 ? '' : answer.body]).toEqual([target, 200, ''])
    }
    expect((await viewer.ask('viewer', 'watch.inbox', '{}')).ok).toBe(true)
  })
})
