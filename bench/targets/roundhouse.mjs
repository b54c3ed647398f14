// Roundhouse from its production build. The agent here speaks the real agent protocol (enrollment, signed upgrade, hello,
// session reports, batches, cumulative acks) from memory instead of from session logs, so that the hub alone is measured;
// the viewer is a signed-in browser's socket.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { io } from 'socket.io-client'
import { freePort, req } from '../lib/http.mjs'
import { signIn } from '../lib/person.mjs'
import { startServer } from '../lib/server.mjs'
import { BenchAgent } from './roundhouse-agent.mjs'
import { call, challengeOf, eventBody, numberOf, sha256, sign } from './roundhouse-wire.mjs'

const hubServer = path.join(import.meta.dirname, '../../apps/hub/dist/server.js')
/** For a profile: BENCH_NODE_FLAGS='--cpu-prof --cpu-prof-dir=/tmp/profile'. It is written when the hub is stopped. */
const nodeFlags = process.env.BENCH_NODE_FLAGS?.split(' ') ?? []
const owner = { name: 'Bench', email: 'bench@example.com', password: 'bench bench bench' }

export function create() {
  let dir
  let port
  let server
  let token
  let person
  const agents = new Map() // session id -> identity of the agent that owns it
  const base = () => `http://localhost:${port}`
  const asPerson = () => ({ authorization: `Bearer ${token}` })
  const api = (method, route, body) =>
    call(`${base()}/api/v1${route}`, method, body, { ...asPerson(), 'idempotency-key': crypto.randomUUID() })

  const target = {
    name: 'roundhouse',
    get pid() {
      return server.pid
    },
    get startMs() {
      return server.startMs
    },
    get port() {
      return port
    },

    async start(dataDir) {
      dir = dataDir
      fs.mkdirSync(dir, { recursive: true })
      port ??= await freePort()
      const ready = path.join(dir, 'hub.json')
      fs.rmSync(ready, { force: true })
      server = await startServer({
        command: [process.execPath, ...nodeFlags, hubServer],
        env: { NODE_ENV: 'production', PORT: String(port), ROUNDHOUSE_DATA_DIR: dir, ROUNDHOUSE_LOG_LEVEL: 'warn' },
        log: path.join(dir, 'server.log'),
        healthUrl: `${base()}/api/v1/health`,
      })
      if (!token) await firstRun(ready)
    },
    /** A token of the owner for one program of the bus. */
    makeToken: (name, scope) => person.makeToken(name, [scope]),
    get: async (route) => (await req(`${base()}/api/v1${route}`, { headers: asPerson() })).json(),

    stop: () => server.kill('SIGTERM'),
    crash: async () => server?.kill('SIGKILL'),

    /** Each session has an agent of its own, as in the other targets each has a connection of its own. */
    async createSession(title) {
      const identity = await enroll(title)
      const settings = { backend: 'scripted', workDir: '/bench' }
      const made = await api('POST', '/sessions', { agentId: identity.agentId, settings, title })
      agents.set(made.sessionId, identity)
      return made.sessionId
    },

    async connectAgent(sid, { viaPort = port } = {}) {
      const agent = new BenchAgent(sid, agents.get(sid), base(), `http://localhost:${viaPort}`)
      await agent.connect()
      return agent
    },
    emit(agent, numbers, bytes) {
      for (const n of numbers) agent.append(eventBody(n, bytes))
      agent.pump()
    },

    async connectViewer(sids, onEvent) {
      const socket = io(`${base()}/viewer`, {
        transports: ['websocket'],
        forceNew: true,
        reconnectionDelay: 200,
        extraHeaders: asPerson(),
      })
      socket.on('events', (batch) => {
        for (const event of batch.events) {
          const n = numberOf(event)
          if (n) onEvent(batch.sessionId, n)
        }
      })
      await new Promise((resolve, reject) => {
        socket.once('connect', resolve)
        socket.once('connect_error', reject)
      })
      for (const sessionId of sids) {
        const snapshot = JSON.parse((await target.loadLatest(sessionId, 1)).buf.toString())
        await socket.emitWithAck('watch', { sessionId, afterSeq: snapshot.head, hubEpoch: snapshot.hubEpoch })
      }
      return { close: () => socket.disconnect() }
    },

    loadLatest: (sid, limit) => req(`${base()}/api/v1/sessions/${sid}?limit=${limit}`, { headers: asPerson() }),
    async transcript(sid) {
      const numbers = []
      for (let after = 0; ; ) {
        const route = `${base()}/api/v1/sessions/${sid}/events?after=${after}&limit=1000`
        const { events } = (await req(route, { headers: asPerson() })).json()
        if (events.length === 0) return numbers.filter(Boolean)
        numbers.push(...events.map(numberOf))
        after = events.at(-1).to ?? events.at(-1).seq
      }
    },
    countIn: (response) => response.json().events.length,

    prefill(sids, perSession, bytes) {
      const db = new Database(path.join(dir, 'hub.db'))
      db.pragma('synchronous = OFF')
      const pkOf = db.prepare('SELECT pk FROM Session WHERE sessionId = ?')
      const insert = db.prepare(
        'INSERT INTO Event (sessionPk, seq, toSeq, kind, v, at, storedAt, hash, body) VALUES (?, ?, NULL, ?, 1, ?, ?, ?, ?)',
      )
      const head = db.prepare('UPDATE Session SET committed = ?, logId = ? WHERE pk = ?')
      for (const sid of sids) {
        const { pk } = pkOf.get(sid)
        db.transaction(() => {
          for (let n = 1; n <= perSession; n++) {
            const body = eventBody(n, bytes)
            insert.run(pk, n, 'assistant_text', 1.7e12 + n, 1.7e12 + n, Buffer.from(sha256(body), 'hex'), body)
          }
          head.run(perSession, `log_${pk}`, pk)
        })()
      }
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
      return "rows inserted straight into the stopped hub's SQLite"
    },
  }

  async function firstRun(readyFile) {
    while (!fs.existsSync(readyFile)) await new Promise((resolve) => setTimeout(resolve, 20))
    const code = JSON.parse(fs.readFileSync(readyFile, 'utf8')).setupUrl.split('#')[1]
    await call(`${base()}/api/v1/setup`, 'POST', { code, ...owner }, { origin: base() })
    person = await signIn(base(), owner)
    token = (await person.makeToken('bench', ['read', 'decide', 'operate', 'manage'])).token
  }

  async function enroll(name) {
    const { token } = await api('POST', '/enrollment-tokens', {})
    const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519')
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(12).toString('base64url')
    const challenge = await challengeOf(base())
    const signature = sign(privateKey, `agent-enroll-v1|${challenge.hubId}|${challenge.nonce}|${raw}`)
    const body = {
      token,
      nonce: challenge.nonce,
      publicKey: raw,
      signature,
      name: name.slice(0, 90),
      platform: 'bench',
    }
    const { agentId } = await call(`${base()}/api/v1/agent/enroll`, 'POST', body, {})
    return { agentId, privateKey, chain: '' }
  }

  return target
}
