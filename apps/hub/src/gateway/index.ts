/**
 * The sockets of the hub on its one HTTP server: `/agent`, `/viewer` and `/events`. WebSocket only, JSON only, frames of at most
 * 1 MB, dead links found within 15 s (LINK-4). Connection state recovery stays off: cursors and logs replace it.
 */
import type { Server as HttpServer } from 'node:http'
import { linkLimits } from '@roundhouse/backend-types'
import { type Namespace, Server } from 'socket.io'
import type { ClientAddress } from '../auth/client-address'
import { type Budget, clientNetwork, eachApart, type GatewayServices, OnceAMinute, throwFirst } from '../core'
import { type Log, serveAgents } from './agents/agent-namespace'
import { agentFlood, programFlood, rawOf, viewerFlood } from './frames/frame-budgets'
import { Turns } from './frames/turns'
import { PeopleNamespace } from './people/people-namespace'
import { type Programs, servePrograms } from './programs/program-namespace'
import { createForeignAudit } from './upgrade/foreign-audit'
import { createFrontDoor, onceEach } from './upgrade/front-door'
import { type Authenticate, createAllowRequest, type Judge } from './upgrade/handshake'
import { jsonOnlyParser } from './upgrade/json-only-parser'
import { RawFrames } from './upgrade/raw-frames'
import { Unclaimed } from './upgrade/unclaimed'
import { JoinThenRead } from './viewers/join-then-read'
import { ViewerAttention } from './viewers/viewer-attention'
import { broadcastToViewers, sendHeads } from './viewers/viewer-broadcast'
import { serveViewers, type Viewers } from './viewers/viewer-namespace'

export type { Authenticate, Judge, ViewerLogin } from './upgrade/handshake'

/** Programs whose read failed try again. */
const CATCH_UP_MS = 1_000
const HEADS_MS = 10_000
const SWEEP_MS = 1_000
/** Connections of one token at a time. */
const PROGRAM_CONNECTIONS = 16
/** Connections of one login or token at a time: more than anybody has tabs, and few beside the descriptors of a process. */
const VIEWER_CONNECTIONS = 256
/** More than a batch of large messages has, so that one message of a megabyte gets its code. */
const PROGRAM_FRAME_BYTES = 2_097_152

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
  const refusals = new OnceAMinute(() => performance.now())
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
        if (refusals.isNews(`${clientNetwork(address)} ${refusal.code}`))
          log.warn({ code: refusal.code, address }, 'a handshake was refused')
        tellForeign(refusal, address)
      },
    }),
  })
  io.engine.use(createFrontDoor(judgeViewer))
  io.engine.on('connection', RawFrames.of)
  io.use((_socket, next) => {
    next(new Error('NOT_FOUND')) // there is nothing in the root namespace
  })
  const agents = open(io, '/agent', unclaimed, rawOf(agentFlood))
  const turns = new Turns()
  serveAgents(agents, { core, turns, log })
  const viewers: Viewers = new PeopleNamespace(open(io, '/viewer', unclaimed, rawOf(viewerFlood)), {
    core,
    logins: options,
    mostPerLogin: VIEWER_CONNECTIONS,
  })
  const { lane } = viewers
  const joining = new JoinThenRead(lane)
  const attention = new ViewerAttention(viewers.sockets, core)
  const sender = { namespace: viewers.sockets, core, lane, joining, attention }
  serveViewers(viewers, { core, turns, joining, attention })
  const programs: Programs = new PeopleNamespace(
    open(io, '/events', unclaimed, rawOf(programFlood), PROGRAM_FRAME_BYTES),
    {
      core,
      logins: options,
      mostPerLogin: PROGRAM_CONNECTIONS,
    },
  )
  const servedPrograms = servePrograms(programs, { core, turns, log })
  /** Another namespace of people is one more here. */
  const people = [viewers, programs] as const
  const stops = [broadcastToViewers(sender), attention.stop, servedPrograms.stop, ...people.map(({ stop }) => stop)]

  const sweepLogins = async () => throwFirst(await eachApart(people, ({ rights }) => rights.sweep()))
  const heads = () => sendHeads(sender)
  const timers =
    options.timers === false
      ? []
      : [every(HEADS_MS, heads), every(SWEEP_MS, sweepLogins), every(CATCH_UP_MS, servedPrograms.catchUp)]

  return {
    io,
    closePerson(userId) {
      for (const namespace of people) namespace.closePerson(userId)
    },
    sendHeads: heads,
    sweepLogins,
    async close() {
      for (const timer of timers) clearInterval(timer)
      for (const stop of stops) stop()
      io.disconnectSockets(true)
      for (const { sockets } of people) sockets.disconnectSockets(true)
      agents.disconnectSockets(true)
      terminateAll(io)
      io.engine.close() // the HTTP server belongs to whoever made it
    },
  }
}

/** A namespace that takes one socket of each connection. Whoever enters it is no longer unclaimed, and whoever leaves it is nobody. */
function open(
  io: Server,
  name: string,
  unclaimed: Unclaimed,
  frames: Budget,
  bytes: number = linkLimits.frameBytes,
): Namespace {
  const namespace = io.of(name)
  namespace.use(onceEach())
  namespace.on('connection', (socket) => {
    unclaimed.left(socket.request)
    const received = RawFrames.of(socket.conn)
    received.entered({ bytes, frames })
    socket.once('disconnect', () => received.left())
  })
  return namespace
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
