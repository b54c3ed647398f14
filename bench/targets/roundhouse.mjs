// Roundhouse from its production build. The agent here speaks the real agent protocol (enrollment, signed upgrade, hello,
// session reports, batches, cumulative acks) from memory instead of from session logs, so that the hub alone is measured;
// the viewer is a signed-in browser's socket.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { io } from 'socket.io-client'
import { startServer } from '../lib/proc.mjs'
import { freePort, req, rssMb, text } from '../lib/util.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const hubServer = path.join(here, '../../apps/hub/dist/server.js')
const owner = { name: 'Bench', email: 'bench@example.com', password: 'bench bench bench' }
const BATCH_EVENTS = 64
const BATCH_BYTES = 200_000
const WINDOW_BATCHES = 8

export function create() {
  let dir
  let port
  let proc
  let cookie
  const agents = new Map() // session id -> identity of the agent that owns it
  const base = () => `http://localhost:${port}`
  const asPerson = () => ({ cookie, origin: base() })
  const api = (method, route, body) =>
    call(`${base()}/api/v1${route}`, method, body, { ...asPerson(), 'idempotency-key': crypto.randomUUID() })

  const target = {
    name: 'roundhouse',
    caps: { batch: true, ack: true, resend: true, persist: true },
    get pid() {
      return proc.pid
    },
    get startMs() {
      return proc.startMs
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
      proc = await startServer({
        cmd: process.execPath,
        args: [hubServer],
        env: { NODE_ENV: 'production', PORT: String(port), ROUNDHOUSE_DATA_DIR: dir, ROUNDHOUSE_LOG_LEVEL: 'warn' },
        log: path.join(dir, 'server.log'),
        healthUrl: `${base()}/api/v1/health`,
      })
      if (!cookie) await firstRun(ready)
    },
    stop: () => proc.kill('SIGTERM'),
    crash: () => proc.kill('SIGKILL'),
    rss: () => rssMb(proc.pid),

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

    loadLatest: (sid, limit = 200, headers = {}) =>
      req(`${base()}/api/v1/sessions/${sid}?limit=${limit}`, { headers: { ...asPerson(), ...headers } }),
    async loadAll(sid, headers = {}) {
      const events = []
      const t0 = performance.now()
      let after = 0
      let bytes = 0
      for (;;) {
        const page = await req(`${base()}/api/v1/sessions/${sid}/events?after=${after}&limit=1000`, {
          headers: { ...asPerson(), ...headers },
        })
        bytes += page.buf.length
        const list = page.json().events
        events.push(...list)
        if (list.length === 0) break
        const last = list.at(-1)
        after = last.to ?? last.seq
      }
      return { status: 200, ms: performance.now() - t0, buf: { length: bytes }, json: () => ({ events }) }
    },
    listSessions: (headers = {}) =>
      req(`${base()}/api/v1/sessions?limit=200`, { headers: { ...asPerson(), ...headers } }),
    async transcript(sid) {
      return (await target.loadAll(sid)).json().events.map(numberOf).filter(Boolean)
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
            insert.run(pk, n, 'assistant_text', 1.7e12 + n, 1.7e12 + n, sha256(body), body)
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
    const answer = await fetch(`${base()}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: base() },
      body: JSON.stringify({ email: owner.email, password: owner.password }),
    })
    cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
  }

  async function enroll(name) {
    const { token } = await api('POST', '/enrollment-tokens', {})
    const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519')
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(12).toString('base64url')
    const challenge = await challengeOf(base())
    const signature = sign(privateKey, `agent-enroll-v1|${challenge.hubId}|${challenge.nonce}|${raw}`)
    const body = { token, nonce: challenge.nonce, publicKey: raw, signature, name: name.slice(0, 90), platform: 'bench' }
    const { agentId } = await call(`${base()}/api/v1/agent/enroll`, 'POST', body, {})
    return { agentId, privateKey, chain: '' }
  }

  return target
}

const HELLO = {
  software: 'bench',
  protocol: [1],
  policyDigest: 'bench',
  host: { name: 'bench', platform: 'linux', arch: 'x64' },
  policy: { roots: ['/bench'], maxSandbox: 'workspace-write', summary: 'bench' },
  manifest: { manifestVersion: 1, generatedAt: '2026-01-01T00:00:00Z', backends: [] },
}

/** One agent with one session: an outbox in place of the log, batches in flight, go back on refusal. */
class BenchAgent {
  connected = false
  resent = 0
  #log = []
  #acked = 0
  #sent = 0
  #inFlight = 0
  #closed = false
  #logId = `log_${crypto.randomBytes(8).toString('hex')}`

  constructor(sid, identity, hubUrl, viaUrl) {
    this.sid = sid
    this.identity = identity
    this.hubUrl = hubUrl
    this.viaUrl = viaUrl
  }

  unacked = () => this.#log.length - this.#acked

  append(body) {
    const seq = this.#log.length + 1
    this.#log.push({ seq, kind: 'assistant_text', v: 1, at: Date.now(), hash: sha256(body), body })
  }

  async connect() {
    for (let attempt = 0; !this.#closed; attempt++) {
      try {
        return await this.#connectOnce()
      } catch (error) {
        if (attempt > 200) throw error
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
  }

  async #connectOnce() {
    const { agentId, privateKey } = this.identity
    const { hubId, nonce } = await challengeOf(this.hubUrl, agentId)
    const signature = sign(privateKey, `agent-auth-v1|${hubId}|${agentId}|${nonce}|${this.hubUrl}`)
    const socket = io(`${this.viaUrl}/agent`, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      timeout: 5_000,
      extraHeaders: {
        host: new URL(this.hubUrl).host,
        'x-roundhouse-agent': agentId,
        'x-roundhouse-nonce': nonce,
        'x-roundhouse-signature': signature,
      },
    })
    this.socket = socket
    const welcome = await new Promise((resolve, reject) => {
      socket.once('welcome', resolve)
      socket.once('connect_error', reject)
      socket.once('disconnect', () => reject(new Error('closed before the welcome')))
    }).catch((error) => {
      socket.disconnect()
      throw error
    })
    socket.on('command', (_command, reply) => reply({ ok: true, answer: { state: 'accepted' } }))
    const hello = { ...HELLO, chain: this.identity.chain, now: Date.now() }
    this.identity.chain = welcome.chain
    await ask(socket, 'hello', hello)
    const report = {
      sessionId: this.sid,
      logId: this.#logId,
      firstRetained: this.#log.length ? 1 : 0,
      last: this.#log.length,
      acked: this.#acked,
      ackedEpoch: welcome.hubEpoch,
    }
    const { verdicts } = await ask(socket, 'sessions', { sessions: [report], last: true })
    const from = verdicts[0]?.verdict === 'resume' ? verdicts[0].from : this.#acked + 1
    if (this.#sent > from - 1) this.resent += this.#sent - (from - 1)
    this.#sent = from - 1
    this.#inFlight = 0
    this.connected = true
    socket.once('disconnect', () => {
      this.connected = false
      if (!this.#closed) void this.connect()
    })
    this.pump()
  }

  pump() {
    while (this.connected && this.#inFlight < WINDOW_BATCHES && this.#sent < this.#log.length) {
      const events = this.#nextBatch()
      const { socket } = this
      this.#inFlight++
      this.#sent = events.at(-1).seq
      socket.emit('events', { sessionId: this.sid, logId: this.#logId, events }, (reply) => {
        if (socket !== this.socket) return
        this.#inFlight--
        if (reply.ok) this.#acked = Math.max(this.#acked, reply.acked)
        else this.#sent = reply.error.details?.expected ? reply.error.details.expected - 1 : this.#acked
        this.pump()
      })
    }
  }

  #nextBatch() {
    const events = []
    let bytes = 0
    for (let i = this.#sent; i < this.#log.length && events.length < BATCH_EVENTS && bytes < BATCH_BYTES; i++) {
      events.push(this.#log[i])
      bytes += this.#log[i].body.length
    }
    return events
  }

  close() {
    this.#closed = true
    this.socket?.disconnect()
  }
}

async function ask(socket, event, body) {
  const reply = await socket.timeout(10_000).emitWithAck(event, body)
  if (!reply.ok) throw new Error(`${event}: ${reply.error.code} ${reply.error.message}`)
  return reply
}

const challengeOf = (hubUrl, agentId) =>
  call(
    `${hubUrl}/api/v1/agent/challenge`,
    'POST',
    { ...(agentId ? { agentId } : {}), agentNonce: crypto.randomBytes(24).toString('base64url') },
    {},
  )

async function call(url, method, body, headers) {
  const answer = await req(url, { method, body, headers })
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.buf.toString().slice(0, 300)}`)
  return answer.json()
}

const sign = (key, message) => crypto.sign(null, Buffer.from(message), key).toString('base64url')
const sha256 = (body) => crypto.createHash('sha256').update(body).digest('hex')

/** The body of one event: as JSON `bytes` long, its number readable in the block id. */
function eventBody(n, bytes) {
  const event = { kind: 'assistant_text', blockId: `b${n}`, text: '' }
  event.text = text(bytes - JSON.stringify(event).length, n)
  return JSON.stringify(event)
}

function numberOf(event) {
  const match = /"blockId":"b(\d+)"/.exec(event.body)
  return match ? Number(match[1]) : 0
}
