/**
 * Keeps one connection to the hub while the daemon lives: it connects, waits, and connects again (LINK-4). It stops when the
 * hub revokes the agent (JOIN-3). It forgets doorbells that ring without a connection, because after the next hello it reads
 * everything from the logs.
 */
import {
  type AgentManifestPayload,
  CodedError,
  type HostState,
  type ImageAsked,
  type ImageChunk,
  type LiveFrame,
  toCodedError,
  type Waits,
} from '@roundhouse/backend-types'
import { type Failure, LinkPace } from '@roundhouse/delivery'
import { type AskChallenge, openAgentSocket } from './agent-socket'
import { Connection, type ConnectionEnd } from './connection'
import { OutageLog } from './outage-log'
import type { CommandNewsItem, LinkIdentity, LinkPorts } from './ports'

export interface HubLinkOptions {
  askChallenge: AskChallenge
  /** In [0, 1). */
  random: () => number
  /** How long an answer may take before the link counts as dead. */
  ackTimeoutMs?: number
  /** The hub will not have this agent any more. */
  onRevoked: (reason: string) => void
  /** A person has to admit this agent first: told once, and asked for quietly from then on. */
  onPending?: () => void
}

type Attempt = ConnectionEnd & Failure

export class HubLink {
  private connection: Connection | null = null
  private stopped = false
  private pending = false
  private readonly pace = new LinkPace()
  private readonly outage: OutageLog
  private wake: (() => void) | null = null
  private running: Promise<void> | null = null

  constructor(
    private readonly ports: LinkPorts,
    private readonly options: HubLinkOptions,
  ) {
    this.outage = new OutageLog((line) => ports.log(line))
  }

  start(): void {
    this.running ??= this.run()
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.connection?.fail('the agent is stopping')
    this.wake?.()
    await this.running
  }

  /** Says hello again, after the policy changed for example. */
  reconnect(reason: string): void {
    this.connection?.fail(reason)
  }

  /** The log of this session is another one. */
  renewed(sessionId: string): void {
    this.connection?.renewed(sessionId)
  }

  appended(sessionId: string, head: number): void {
    this.connection?.appended(sessionId, head)
  }

  state(state: HostState): void {
    this.connection?.state(state)
  }

  waits(waits: Waits): void {
    this.connection?.waits(waits)
  }

  live(frames: LiveFrame[]): void {
    this.connection?.live(frames)
  }

  manifest(manifest: AgentManifestPayload): void {
    this.connection?.manifest(manifest)
  }

  news(item: CommandNewsItem): void {
    this.connection?.news(item)
  }

  /** Throws what the hub refused, or `AGENT_OFFLINE`. */
  async image(asked: ImageAsked): Promise<ImageChunk> {
    if (!this.connection) throw new CodedError('AGENT_OFFLINE', 'The link is down.')
    return this.connection.image(asked)
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const end = await this.connectOnce()
      if (this.stopped) return
      if (end.code === 'AGENT_REVOKED') {
        this.stopped = true
        this.options.onRevoked(end.reason)
        return
      }
      await this.pauseAfter(end)
    }
  }

  private async connectOnce(): Promise<Attempt> {
    try {
      const socket = await openAgentSocket(this.ports.identity, this.askInTime, this.options.ackTimeoutMs)
      if (this.stopped) return { reason: 'stopped', lived: false }
      this.connection = new Connection(socket, this.ports)
      return await this.connection.ended
    } catch (error) {
      const { code, message, details } = toCodedError(error)
      const { retryAfterMs } = details ?? {}
      return { reason: message, code, lived: false, ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}) }
    } finally {
      this.connection = null
    }
  }

  private readonly askInTime = async (identity: LinkIdentity) => {
    const began = performance.now()
    const limitMs = this.pace.patienceMs
    const tookMs = () => performance.now() - began
    try {
      const challenge = await this.options.askChallenge(identity, limitMs)
      this.pace.answered(tookMs())
      return challenge
    } catch (error) {
      this.pace.notAnswered(tookMs(), limitMs)
      throw unproven(error, identity.hubUrl)
    }
  }

  private tellPending(): void {
    try {
      this.options.onPending?.()
    } catch (error) {
      this.ports.log(`waits for approval at the hub (${toCodedError(error).message})`)
    }
  }

  private async pauseAfter(end: Attempt): Promise<void> {
    if (end.lived) this.outage.over()
    const wasPending = this.pending
    this.pending = end.code === 'AGENT_PENDING'
    const ms = this.pace.pauseMs(end, this.options.random())
    if (!this.pending) this.outage.failed(reasonLine(end), ms)
    else if (!wasPending) this.tellPending()
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.wake = null
  }
}

/**
 * Whoever answers before the hub has proved its key may be anybody who has its port: that nobody answers, that the key is
 * another one, and how long to wait is all that is believed.
 */
function unproven(error: unknown, hubUrl: string): unknown {
  const { code, message } = toCodedError(error)
  if (believed.has(code)) return error
  return new CodedError('AGENT_OFFLINE', `What answers at ${hubUrl} did not prove to be the hub (${message})`)
}
const believed: ReadonlySet<string> = new Set(['AGENT_OFFLINE', 'HUB_KEY_MISMATCH', 'RATE_LIMITED'])

/** Both fingerprints stand in it, for whoever has to compare them. */
const reasonLine = ({ code, reason }: Attempt): string => {
  if (code !== 'HUB_KEY_MISMATCH') return firstLine(reason)
  const line = reason.replace(/\s+/g, ' ')
  return `${line} If the hub was set up anew, join it again with --replace`
}
const firstLine = (reason: string): string => reason.split('\n')[0]?.replace(/[.:]$/, '') ?? ''
