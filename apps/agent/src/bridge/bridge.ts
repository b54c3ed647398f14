/** The messages of a client, each to the session that it is about. A message never ends the bridge, whatever it says. */
import type { BridgeReply, BridgeRequest, BridgeRequestOf } from '@roundhouse/backend-types/bridge'
import type { Line } from '@roundhouse/lines'
import { type CreationPorts, createSession } from './create-session'
import { readLine } from './messages/read-message'
import { errorReply, failureReply, type Say, sessionNotFound } from './messages/replies'
import type { BridgeSession } from './session/bridge-session'

export interface BridgePorts extends CreationPorts {
  say: Say
}

export class Bridge {
  /** Those that the client knows. */
  private readonly sessions = new Map<string, BridgeSession>()
  /** Those whose program is being started, and those that end, as well. */
  private readonly living = new Set<BridgeSession>()
  private readonly creations = new Set<Promise<void>>()
  private disposed = false

  constructor(private readonly ports: BridgePorts) {}

  heard(line: Line): void {
    const read = readLine(line)
    if (this.disposed || read.kind === 'blank') return
    if (read.kind === 'error') this.ports.say(read.error)
    else void this.handle(read.request)
  }

  pauseOutput(paused: boolean): void {
    for (const session of this.living) session.pauseOutput(paused)
  }

  /** Ends every session. Resolves when none of their processes is left. */
  async dispose(): Promise<void> {
    this.disposed = true
    await Promise.all([...this.living].map((session) => session.close()))
    await Promise.allSettled(this.creations)
  }

  private async handle(request: BridgeRequest): Promise<void> {
    if (request.type === 'session.create') {
      const creation = this.create(request)
      this.creations.add(creation)
      return creation.finally(() => this.creations.delete(creation))
    }
    const { id, session_id } = request
    const session = this.sessions.get(session_id)
    if (!session) return this.ports.say(sessionNotFound({ id, session_id }))
    switch (request.type) {
      case 'session.send':
        return session.send({ id, text: request.payload.message })
      case 'session.interrupt':
        return session.interrupt(id)
      case 'session.kill':
        return this.kill(session, id, session_id)
      case 'callback.response':
        return session.callback(id, request.payload)
      case 'query.call':
        return session.query(id, request.payload.method, request.payload.args ?? [])
    }
  }

  private async create({ id, payload }: BridgeRequestOf<'session.create'>): Promise<void> {
    const sessionId = this.ports.newId()
    let session: BridgeSession | null = null
    const known = () => {
      if (!session || this.sessions.has(sessionId) || !this.living.has(session)) return
      this.sessions.set(sessionId, session)
      this.ports.say({ type: 'session.created', id, session_id: sessionId, payload: {} })
    }
    const say = (reply: BridgeReply) => {
      if (session === null || this.living.has(session)) this.ports.say(reply)
    }
    try {
      session = await createSession(this.ports, { id: sessionId, payload, say, known })
      if (this.disposed) return await session.close()
      this.living.add(session)
      await session.begin({ id, text: payload.prompt })
      this.ports.log(`session ${sessionId} was created`)
    } catch (error) {
      const wasKnown = this.sessions.delete(sessionId)
      const named = { id, ...(wasKnown ? { session_id: sessionId } : {}) }
      if (!this.disposed) this.ports.say(failureReply(wasKnown ? 'SDK_ERROR' : 'SESSION_CREATE_FAILED', error, named))
      this.ports.log(`a session could not be created: ${error instanceof Error ? error.message : String(error)}`)
      if (session) await this.end(session)
    }
  }

  private async kill(session: BridgeSession, id: string, session_id: string): Promise<void> {
    this.sessions.delete(session_id)
    try {
      await this.end(session)
      this.ports.say({ type: 'session.killed', id, session_id, payload: {} })
      this.ports.log(`session ${session_id} was killed`)
    } catch (error) {
      this.ports.say(errorReply('SDK_ERROR', String(error), { id, session_id }))
    }
  }

  private async end(session: BridgeSession): Promise<void> {
    const closing = session.close()
    this.living.delete(session)
    const ended = closing.catch(() => {})
    this.creations.add(ended)
    await closing.finally(() => this.creations.delete(ended))
  }
}
