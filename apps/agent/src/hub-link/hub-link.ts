/**
 * Keeps one connection to the hub for as long as the daemon lives: connects, waits with full jitter, connects again
 * (LINK-4), and stops for good when the hub revoked the agent (JOIN-3). What rings while there is no connection is
 * forgotten: after the next hello everything is read from the logs.
 */
import {
  type AgentManifestPayload,
  type HostState,
  type LiveFrame,
  toCodedError,
  type Waits,
} from '@roundhouse/backend-types'
import { type AskChallenge, openAgentSocket } from './agent-socket'
import { backoffMs } from './backoff'
import { Connection, type ConnectionEnd } from './connection'
import type { CommandNewsItem, LinkPorts } from './ports'

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

/** Answers that time will not change: asked again, but as rarely as can be. */
const STUBBORN = new Set(['PROTOCOL_UNSUPPORTED', 'AGENT_CLONED', 'HUB_KEY_MISMATCH', 'AUTH_FAILED', 'AGENT_DISABLED'])
const STUBBORN_ATTEMPT = 20
/** Somebody sits before the page and waits: asked again within four seconds. */
const WAITING_ATTEMPT = 3

export class HubLink {
  private connection: Connection | null = null
  private stopped = false
  private failures = 0
  private pending = false
  private wake: (() => void) | null = null
  private running: Promise<void> | null = null

  constructor(
    private readonly ports: LinkPorts,
    private readonly options: HubLinkOptions,
  ) {}

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
    void this.connection?.news(item)
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

  private async connectOnce(): Promise<ConnectionEnd> {
    try {
      const socket = await openAgentSocket(this.ports.identity, this.options.askChallenge, this.options.ackTimeoutMs)
      if (this.stopped) return { reason: 'stopped', wasOnline: false }
      this.connection = new Connection(socket, this.ports)
      return await this.connection.ended
    } catch (error) {
      const { code, message } = toCodedError(error)
      return { reason: message, code, wasOnline: false }
    } finally {
      this.connection = null
    }
  }

  private async pauseAfter(end: ConnectionEnd): Promise<void> {
    this.failures = end.wasOnline ? 0 : this.failures + 1
    const wasPending = this.pending
    this.pending = end.code === 'AGENT_PENDING'
    const ms = backoffMs(this.attemptAfter(end), this.options.random())
    if (!this.pending)
      this.ports.log(`not connected: ${firstLine(end.reason)}; next attempt in ${(ms / 1000).toFixed(1)} s`)
    else if (!wasPending) this.options.onPending?.()
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.wake = null
  }

  private attemptAfter({ code = '' }: ConnectionEnd): number {
    if (this.pending) return WAITING_ATTEMPT
    return STUBBORN.has(code) ? STUBBORN_ATTEMPT : Math.max(0, this.failures - 1)
  }
}

const firstLine = (reason: string): string => reason.split('\n')[0]?.replace(/[.:]$/, '') ?? ''
