/**
 * `/agent`: only sockets whose upgrade was signed (LINK-1). Frames are checked, counted (BAD-1), held to their credit
 * (FLOW-1) and given to the core, which fences them (LINK-3).
 */
import {
  type AgentToHub,
  agentToHub,
  CodedError,
  type FrameSpec,
  type HubToAgent,
  linkLimits,
  OfSession,
} from '@roundhouse/backend-types'
import type { Namespace } from 'socket.io'
import type { AgentCredential, GatewayServices, LinkMisdeeds, LinkSession, LinkStreams } from '../../core'
import { agentFlood, agentRules, MALFORMED_COST } from '../frames/frame-budgets'
import { type Handler, handleAll } from '../frames/frames'
import { LinkLane } from '../frames/link-lane'
import type { Turns } from '../frames/turns'
import { agentOf } from '../upgrade/handshake'
import { RawFrames } from '../upgrade/raw-frames'
import { type AgentSocket, closeWith, createAgentLink } from './agent-link'
import { FlowWindow } from './flow-window'

/** How long an agent waits when the storage refuses writes (F17). */
const STORAGE_HOLD_MS = 2_000

export interface Log {
  warn(facts: Record<string, unknown>, message: string): void
}

interface Served {
  core: GatewayServices
  turns: Turns
  log: Log
}

export function serveAgents(namespace: Namespace<AgentToHub, HubToAgent>, served: Served): void {
  namespace.use((socket, next) => {
    next(agentOf(socket.request) ? undefined : new Error('AUTH_FAILED'))
  })
  namespace.on('connection', (socket: AgentSocket) => {
    const credential = agentOf(socket.request)
    if (!credential) return
    socket.on('disconnect', (reason, why: unknown) => {
      if (reason !== 'transport error' && reason !== 'parse error') return
      served.log.warn({ agentId: credential.agentId, reason, why: String(why ?? '') }, 'the link of an agent broke')
    })
    void serve(socket, served, credential)
  })
}

async function serve(socket: AgentSocket, { core, turns }: Served, credential: AgentCredential): Promise<void> {
  if (credential.barred) {
    closeWith(socket, new CodedError(credential.barred))
    return
  }
  const link = createAgentLink(socket)
  try {
    const session = await core.agentGate.accept(credential, link)
    if (!socket.connected) {
      await session.closed()
      return
    }
    const lane = laneOf(socket, session, turns)
    socket.on('disconnect', () => {
      lane.close()
      void session.closed().catch(() => {})
    })
    listen(socket, session, link, lane)
    core.doorbells.ring('agent', { agentId: session.agentId })
    socket.emit('welcome', session.welcome)
  } catch (thrown) {
    const error = thrown instanceof CodedError ? thrown : new CodedError('INTERNAL')
    closeWith(socket, { code: error.code, message: error.message })
  }
}

/** FLOW-6: who sends more than any honest agent does is told so, and closed. */
function laneOf(socket: AgentSocket, session: LinkMisdeeds, turns: Turns): LinkLane {
  RawFrames.of(socket.conn).onFlood(() => session.misdeed('RATE_LIMITED'))
  const onFlood = () => {
    session.misdeed('RATE_LIMITED')
    setImmediate(() => closeWith(socket, new CodedError('RATE_LIMITED', 'The machine sent more than the hub accepts.')))
  }
  return new LinkLane({ turns, rules: agentRules, flood: agentFlood, onFlood })
}

type Link = ReturnType<typeof createAgentLink>

const verbs = new Set(Object.keys(agentToHub))

/** BAD-4: a frame that no honest agent sends is in the audit log, once per minute and cause. */
function tellMisdeeds(socket: AgentSocket, session: LinkMisdeeds, lane: LinkLane): void {
  socket.onAny((verb: unknown) => {
    if (verbs.has(String(verb)) || !lane.counts()) return
    session.misdeed('UNKNOWN_VERB', { verb: String(verb).slice(0, 64) })
  })
}

function listen(socket: AgentSocket, session: LinkSession, link: Link, lane: LinkLane): void {
  tellMisdeeds(socket, session, lane)
  const inLane = <F extends FrameSpec>(verb: keyof AgentToHub, handler: Handler<F>): Handler<F> => ({
    ...handler,
    lane,
    onError: (error) => {
      if (error.code === 'MALFORMED_FRAME') lane.counts(MALFORMED_COST)
      if (error.code === 'MALFORMED_FRAME' || error.code === 'RATE_LIMITED') session.misdeed(error.code, { verb })
      handler.onError?.(error)
    },
  })
  handleAll(socket, agentToHub, {
    hello: inLane('hello', {
      run: (hello) => session.hello(hello),
      onError: (error) => {
        if (error.code === 'AGENT_CLONED') setImmediate(() => closeWith(socket, error))
      },
    }),
    sessions: inLane('sessions', {
      run: async (page) => ({ verdicts: await session.sessions(page) }),
      onAnswered: () => session.judged(),
    }),
    events: eventsHandler(socket, session, link, lane),
    live: inLane('live', { run: ({ frames }) => session.live(frames) }),
    state: inLane('state', { run: (state) => session.state(state) }),
    waits: inLane('waits', { run: (waits) => session.waits(waits) }),
    manifest: inLane('manifest', { run: ({ manifest }) => session.manifest(manifest) }),
    clock: inLane('clock', { run: ({ now }) => session.clock(now) }),
    image: inLane('image', { run: (asked) => session.image(asked) }),
    command: inLane('command', {
      run: async (news) => {
        await session.news(news)
        return {}
      },
    }),
  })
}

function eventsHandler(
  socket: AgentSocket,
  session: LinkStreams & LinkMisdeeds,
  link: Link,
  lane: LinkLane,
): Handler<(typeof agentToHub)['events']> {
  const window = new FlowWindow(linkLimits)
  /** One beyond the link's budget costs nothing more. */
  const countOf = async (sessionId: string) => (lane.counts(MALFORMED_COST) ? count(session, sessionId) : null)
  return {
    run: async (batch) => {
      const bytes = batch.events.reduce((sum, event) => sum + event.body.length, 0)
      const size = { events: batch.events.length, bytes }
      const taken = window.take(size)
      if (taken !== 'taken') {
        const violation = new CodedError('FLOW_VIOLATION')
        if (taken === 'close') setImmediate(() => closeWith(socket, violation))
        throw violation
      }
      try {
        return { acked: await session.events(batch) }
      } catch (thrown) {
        if (thrown instanceof CodedError && thrown.code === 'MALFORMED_FRAME') {
          throw (await countOf(batch.sessionId)) ?? thrown
        }
        throw thrown
      } finally {
        window.done(size)
      }
    },
    onMalformed: async (frame) => {
      const named = OfSession.safeParse(frame)
      if (named.success) return countOf(named.data.sessionId)
      lane.counts(MALFORMED_COST)
      return null
    },
    onError: (error) => {
      if (error.code === 'MALFORMED_FRAME' || error.code === 'FLOW_VIOLATION')
        session.misdeed(error.code, { verb: 'events' })
      if (error.code === 'STORAGE_UNAVAILABLE') link.hold(STORAGE_HOLD_MS, error.code)
    },
  }
}

/** BAD-1: after the fifth the answer is that the stream is blocked. */
async function count(session: LinkStreams, sessionId: string): Promise<CodedError | null> {
  try {
    const { blocked } = await session.malformed(sessionId)
    return blocked ? new CodedError('SESSION_BLOCKED') : null
  } catch {
    return null // not a session of this agent: nothing is counted
  }
}
