// One agent with one session: the real agent protocol (signed upgrade, hello, reports, batches, cumulative acks) with an
// outbox in memory in the log's place.
import crypto from 'node:crypto'
import { io } from 'socket.io-client'
import { challengeOf, sha256, sign } from './roundhouse-wire.mjs'

const BATCH_EVENTS = 64
const BATCH_BYTES = 200_000
const WINDOW_BATCHES = 8

const HELLO = {
  software: 'bench',
  protocol: [1],
  policyDigest: 'bench',
  host: { name: 'bench', platform: 'linux', arch: 'x64' },
  policy: { roots: ['/bench'], maxSandbox: 'workspace-write', summary: 'bench' },
  manifest: { manifestVersion: 1, generatedAt: '2026-01-01T00:00:00Z', backends: [] },
}

/** Batches in flight up to the window; goes back to what is acknowledged on a refusal. */
export class BenchAgent {
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
