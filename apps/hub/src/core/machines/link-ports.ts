/** Between core and the gateway of agents: how an agent gets in, and what either side may say on its connection. */
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

/** The hub's end of one agent connection, made by the gateway. */
export interface AgentLink {
  command(command: Command): Promise<CommandAnswer>
  cancel(command: { commandId: string; sessionId: string }): Promise<CommandAnswer>
  /** An answer that does not fit its question is `BACKEND_ERROR` (CMD-6). */
  ask: AskMachine
  verdict(verdict: Verdict): void
  hold(ms: number, code: string): void
  auditHead(head: AuditHead): void
  /** Sessions that somebody looks at. */
  attention(sessionIds: string[]): void
  /** Tells the agent why, then closes. */
  close(why: { code: ErrorCode; message: string }): void
}

/** One accepted connection. Every method is fenced by its `connEpoch` (LINK-3): a newer connection makes it `FENCED`. */
export interface LinkSession {
  agentId: string
  welcome: Welcome
  hello(hello: Hello): Promise<{ protocol: number }>
  sessions(page: { sessions: SessionReport[]; last: boolean }): Promise<Verdict[]>
  /** The verdicts are on their way: commands may follow them. */
  judged(): void
  /** The cumulative ack (ACK-1). Refusals are `CodedError`: SEQ_GAP, SEQ_CONFLICT, SESSION_BLOCKED, FENCED, ... */
  events(batch: { sessionId: string; logId: string; events: EventEnvelope[] }): Promise<number>
  /** BAD-1: counts a bad frame against its session; `blocked` after the fifth. */
  malformed(sessionId: string): Promise<{ blocked: boolean }>
  live(frames: LiveFrame[]): Promise<void>
  state(state: HostState): Promise<void>
  /** Which commands wait for a free place on the machine. */
  waits(waits: Waits): Promise<void>
  manifest(manifest: Hello['manifest']): Promise<void>
  news(news: CommandNews): Promise<void>
  /** LOG-10: what its clock says with a ping. */
  clock(now: number): Promise<void>
  /** Of a prompt of one of its sessions. */
  image(asked: ImageAsked): Promise<ImageChunk>
  /** BAD-4: it was refused, for the audit log. */
  misdeed(why: string, detail?: Record<string, string | number | boolean>): void
  /** The socket is gone. */
  closed(): Promise<void>
}

/** What the signature of an upgrade proves, at that moment. */
export interface AgentCredential {
  agentId: string
  /** The key that signed. */
  publicKey: string
  /** Why it may not connect all the same. */
  barred: ErrorCode | null
}

export interface AgentGate {
  /**
   * LINK-1: the signature of an upgrade over a nonce of ours, one use, 10 s. `null`: not this agent, refuse the upgrade.
   * A good signature of an agent that may not connect is let by with the reason, so that it can be told.
   */
  judgeUpgrade(headers: { agentId: string; nonce: string; signature: string }): Promise<AgentCredential | null>
  /** Raises `connEpoch`, closes an older connection, makes the welcome. A key that was changed since the upgrade is none. */
  accept(proven: Pick<AgentCredential, 'agentId' | 'publicKey'>, link: AgentLink): Promise<LinkSession>
}
