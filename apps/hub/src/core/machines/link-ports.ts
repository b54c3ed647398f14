/** The interface between the core and the agents' gateway: how an agent connects, and what each side may send. */
import type {
  AuditHead,
  Command,
  CommandAnswer,
  CommandNews,
  ErrorCode,
  EventEnvelope,
  Hello,
  HostState,
  ImageAsked,
  ImageChunk,
  LiveFrame,
  Question,
  QuestionAnswer,
  SessionReport,
  Verdict,
  Waits,
  Welcome,
} from '@roundhouse/backend-types'

export type AskMachine = <Q extends Question>(question: Q, timeoutMs: number) => Promise<QuestionAnswer<Q['kind']>>

/** The hub's end of one agent connection, created by the gateway. */
export interface AgentLink {
  command(command: Command): Promise<CommandAnswer>
  cancel(command: { commandId: string; sessionId: string }): Promise<CommandAnswer>
  /** An answer that does not fit its question is `BACKEND_ERROR` (CMD-6). */
  ask: AskMachine
  verdict(verdict: Verdict): void
  hold(ms: number, code: string): void
  auditHead(head: AuditHead): void
  /** The sessions that somebody is viewing. */
  attention(sessionIds: string[]): void
  /** Tells the agent the reason, then closes. */
  close(why: { code: ErrorCode; message: string }): void
}

/** The beginning of a connection: the machine introduces itself, then reports each session. */
export interface LinkGreeting {
  welcome: Welcome
  hello(hello: Hello): Promise<{ protocol: number }>
  sessions(page: { sessions: SessionReport[]; last: boolean }): Promise<Verdict[]>
  /** The verdicts are sent; commands may follow. */
  judged(): void
}

/** What the machine sends about its sessions. */
export interface LinkStreams {
  /** The cumulative ack (ACK-1). Refusals are `CodedError`: SEQ_GAP, SEQ_CONFLICT, SESSION_BLOCKED, FENCED, ... */
  events(batch: { sessionId: string; logId: string; events: EventEnvelope[] }): Promise<number>
  /** BAD-1: counts a bad frame against its session; `blocked` after the fifth. */
  malformed(sessionId: string): Promise<{ blocked: boolean }>
  live(frames: LiveFrame[]): Promise<void>
  state(state: HostState): Promise<void>
  news(news: CommandNews): Promise<void>
  /** An image of a prompt for one of the agent's sessions. */
  image(asked: ImageAsked): Promise<ImageChunk>
}

/** What the machine sends about itself over time. */
export interface LinkMachine {
  /** The commands that wait for a free place on the machine. */
  waits(waits: Waits): Promise<void>
  manifest(manifest: Hello['manifest']): Promise<void>
  /** LOG-10: the machine's clock, sent with a ping. */
  clock(now: number): Promise<void>
}

export interface LinkMisdeeds {
  /** BAD-4: records a refusal in the audit log. */
  misdeed(why: string, detail?: Record<string, string | number | boolean>): void
}

/** One accepted connection. Every method is fenced by its `connEpoch` (LINK-3): a newer connection makes it `FENCED`. */
export interface LinkSession extends LinkGreeting, LinkStreams, LinkMachine, LinkMisdeeds {
  agentId: string
  /** The socket is gone. */
  closed(): Promise<void>
}

/** What the signature of an upgrade proves at that moment. */
export interface AgentCredential {
  agentId: string
  /** The key that signed. */
  publicKey: string
  /** Why the agent may not connect in spite of a valid signature. */
  barred: ErrorCode | null
}

export interface AgentGate {
  /**
   * LINK-1: checks the signature of an upgrade over one of our nonces (one use, 10 s). `null`: not this agent; refuse
   * the upgrade. An agent that proves its key and may not connect passes with the reason, so that it can be told.
   */
  judgeUpgrade(headers: { agentId: string; nonce: string; signature: string }): Promise<AgentCredential | null>
  /**
   * Raises `connEpoch`, closes an older connection and builds the welcome. A key that changed since the upgrade does
   * not count.
   */
  accept(proven: Pick<AgentCredential, 'agentId' | 'publicKey'>, link: AgentLink): Promise<LinkSession>
}
