/**
 * The sockets of the hub on its one HTTP server: `/agent` and `/viewer`. WebSocket only, JSON only, frames of at most
 * 1 MB, dead links found within 15 s (LINK-4). Connection state recovery stays off: cursors and logs replace it.
 */
import type { Server as HttpServer } from 'node:http'
import { linkLimits } from '@roundhouse/backend-types'
import { Server } from 'socket.io'
import type { ClientAddress } from '../auth/client-address'
import type { GatewayServices } from '../core'
import { type Log, serveAgents } from './agent-namespace'
import { createForeignAudit } from './foreign-audit'
import { createFrontDoor, onceEach } from './front-door'
import { type Authenticate, createAllowRequest, type Judge } from './handshake'
import { JoinThenRead } from './join-then-read'
import { jsonOnlyParser } from './json-only-parser'
import { allowFrames, holdToSmallFrames } from './small-frames'
import { Turns } from './turns'
import { Unclaimed } from './unclaimed'
import { ViewerAttention } from './viewer-attention'
import { broadcastToViewers, sendHeads } from './viewer-broadcast'
import { ViewerLane } from './viewer-lane'
import { serveViewers } from './viewer-namespace'
import { ViewerRights } from './viewer-rights'
import { loginRoom, personRoom } from './viewer-rooms'

export type { Authenticate, Judge, ViewerLogin } from './handshake'

const HEADS_MS = 10_000
const SWEEP_MS = 1_000

export interface GatewayOptions {
  server: HttpServer
  core: GatewayServices
  authenticate: Authenticate
  /** For a browser whose proof is too old. */
  nonce: () => string
  addressOf: ClientAddress
  /** Host and Origin of a browser's handshake, and of an agent's. */
  judgeViewer: Judge
  judgeAgent: Judge
  log: Log
  /** Tests turn the clockwork themselves. */
  timers?: boolean
}

export interface Gateway {
  io: Server
  /** Role change, ban, removal: whoever still may comes back as who they are now (T77). */
  closePerson(userId: string): void
  sendHeads(): Promise<void>
  /** Logins and tokens that ran out, or ended elsewhere, lose their sockets. */
  sweepLogins(): Promise<void>
  close(): Promise<void>
}

export function createGateway(options: GatewayOptions): Gateway {
  const { server, core, judgeViewer, judgeAgent, authenticate, addressOf, log } = options
  const unclaimed = new Unclaimed()
  const tellForeign = createForeignAudit(core)
  const io = new Server(server, {
    path: '/socket.io/',
    transports: ['websocket'],
    serveClient: false,
    destroyUpgrade: false, // the page's own development socket is on the same server
    perMessageDeflate: false,
    maxHttpBufferSize: linkLimits.frameBytes,
    pingInterval: 7_000,
    pingTimeout: 8_000,
    connectTimeout: 5_000,
    parser: jsonOnlyParser,
    allowRequest: createAllowRequest({
      judgeViewer,
      judgeAgent,
      gate: core.agentGate,
      authenticate,
      addressOf,
      unclaimed,
      onRefused: (refusal) => {
        const address = addressOf(refusal.request)
        log.warn({ code: refusal.code, address }, 'a handshake was refused')
        tellForeign(refusal, address)
      },
    }),
  })
  io.engine.use(createFrontDoor(judgeViewer))
  io.engine.on('connection', holdToSmallFrames)
  io.use((socket, next) => {
    next(new Error('NOT_FOUND')) // there is nothing in the root namespace
    setImmediate(() => socket.conn.close())
  })
  const viewers = io.of('/viewer')
  const agents = io.of('/agent')
  for (const namespace of [viewers, agents]) {
    namespace.use(onceEach())
    namespace.on('connection', (socket) => {
      unclaimed.left(socket.request)
      allowFrames(socket.conn, linkLimits.frameBytes)
    })
  }
  const turns = new Turns()
  serveAgents(agents, { core, turns, log })
  const rights = new ViewerRights(viewers, core)
  const lane = new ViewerLane(() => rights.enforce())
  const joining = new JoinThenRead(lane)
  const attention = new ViewerAttention(viewers, core)
  const sender = { namespace: viewers, core, lane, joining, attention }
  serveViewers(viewers, { core, rights, turns, joining, attention }, options)
  const closeLogin = (loginId: string) => void viewers.in(loginRoom(loginId)).disconnectSockets(true)
  const closePerson = (userId: string) => void viewers.in(personRoom(userId)).disconnectSockets(true)
  const stops = [
    broadcastToViewers(sender),
    attention.stop,
    core.doorbells.on('loginEnded', ({ loginId }) => closeLogin(loginId)),
    core.doorbells.on('person', ({ userId }) => closePerson(userId)),
  ]

  const sweepLogins = () => rights.sweep()
  const heads = () => sendHeads(sender)
  const timers = options.timers === false ? [] : [every(HEADS_MS, heads), every(SWEEP_MS, sweepLogins)]

  return {
    io,
    closePerson,
    sendHeads: heads,
    sweepLogins,
    async close() {
      for (const timer of timers) clearInterval(timer)
      for (const stop of stops) stop()
      io.disconnectSockets(true)
      viewers.disconnectSockets(true)
      agents.disconnectSockets(true)
      terminateAll(io)
      io.engine.close() // the HTTP server belongs to whoever made it
    },
  }
}

interface Conn {
  transport: { socket?: { terminate?: () => void } }
}

/** A peer that reads nothing would never answer the closing handshake. What was sent just now still leaves first. */
function terminateAll(io: Server): void {
  const { clients } = io.engine as unknown as { clients: Record<string, Conn> }
  const open = Object.values(clients)
  setImmediate(() => {
    for (const { transport } of open) transport.socket?.terminate?.()
  })
}

function every(ms: number, work: () => Promise<void> | void): NodeJS.Timeout {
  const run = async () => work()
  const timer = setInterval(() => void run().catch(() => {}), ms)
  timer.unref()
  return timer
}
