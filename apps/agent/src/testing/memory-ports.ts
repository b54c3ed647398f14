/** The daemon's side of the link for tests: logs in memory, everything that was called is remembered. */
import { createHash } from 'node:crypto'
import type {
  AuditHead,
  Command,
  CommandAnswer,
  EventEnvelope,
  HostState,
  Question,
  QuestionAnswer,
  QuestionKind,
  SessionReport,
  Verdict,
  Waits,
} from '@roundhouse/backend-types'
import { CodedError } from '@roundhouse/backend-types'
import { fillHoles, gapEvent, type RebaseOrder, rebaseEvents } from '@roundhouse/delivery'
import { makeKeyPair, readPrivateKey, signText } from '@roundhouse/keys'
import type { CommandNewsItem, LinkPorts } from '../hub-link'
import type { FakeHub } from './fake-hub'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export const event = (seq: number, text = `text ${seq}`): EventEnvelope => {
  const body = JSON.stringify({ kind: 'assistant_text', text })
  return { seq, kind: 'assistant_text', v: 1, at: 1_000 + seq, hash: sha256(body), body }
}

interface MemoryLog {
  logId: string
  events: EventEnvelope[]
  acked: number
  ackedEpoch: string
}

export class MemoryPorts implements LinkPorts {
  readonly keys = makeKeyPair()
  readonly identity
  readonly logs = new Map<string, MemoryLog>()
  readonly verdicts: Verdict[] = []
  readonly rebases: RebaseOrder[] = []
  readonly commands: Command[] = []
  readonly lines: string[] = []
  readonly stoppedStreams: string[] = []
  readonly presence: boolean[] = []
  reads = 0
  storedChain = ''
  hostStates: HostState[] = []
  pendingNews: CommandNewsItem[] = []
  answerCommand: (command: Command) => Promise<CommandAnswer> = async () => ({ state: 'accepted' })

  constructor(hub: FakeHub) {
    hub.agents.set('agent-1', this.keys.publicKey)
    this.identity = {
      agentId: 'agent-1',
      hubUrl: hub.url,
      hubPublicKey: hub.keys.publicKey,
      sign: (text: string) => signText(readPrivateKey(this.keys.privateKey), text),
    }
  }

  private watchers: Array<{ test: () => boolean; resolve: () => void }> = []

  /** Resolves when the condition holds; looked at after every call of the link. */
  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve()
    return new Promise((resolve) => this.watchers.push({ test, resolve }))
  }

  look(): void {
    const done = this.watchers.filter(({ test }) => test())
    this.watchers = this.watchers.filter((watcher) => !done.includes(watcher))
    for (const { resolve } of done) resolve()
  }

  fill(sessionId: string, count: number): void {
    const log = this.logs.get(sessionId) ?? { logId: `log-${sessionId}`, events: [], acked: 0, ackedEpoch: '' }
    const from = log.events.length
    for (let n = 1; n <= count; n += 1) log.events.push(event(from + n))
    this.logs.set(sessionId, log)
  }

  chain = {
    read: () => this.storedChain,
    write: (chain: string) => {
      this.storedChain = chain
    },
  }

  heads: AuditHead[] = []
  auditHeads = { kept: () => this.heads, keep: (head: AuditHead) => void this.heads.push(head) }

  hello() {
    return {
      software: 'roundhouse-agent test',
      policyDigest: 'sha256:0',
      manifest: { manifestVersion: 1 as const, generatedAt: '2026-01-01T00:00:00.000Z', backends: [] },
      host: { name: 'desk', platform: 'linux', arch: 'x64' },
      policy: { roots: [], maxSandbox: 'workspace-write', summary: '' },
    }
  }

  reports(): Iterable<SessionReport> {
    return [...this.logs.keys()].flatMap((sessionId) => this.report(sessionId) ?? [])
  }

  report(sessionId: string): SessionReport | null {
    const log = this.logs.get(sessionId)
    if (!log) return null
    const { logId, acked, ackedEpoch } = log
    return {
      sessionId,
      logId,
      firstRetained: log.events[0]?.seq ?? 0,
      last: log.events.at(-1)?.seq ?? 0,
      acked,
      ackedEpoch,
    }
  }

  present(): void {}

  reported(): void {}

  verdict(verdict: Verdict): void {
    this.verdicts.push(verdict)
  }

  position(sessionId: string) {
    const log = this.logs.get(sessionId)
    return { head: log?.events.at(-1)?.seq ?? 0, acked: log?.acked ?? 0, ackedEpoch: log?.ackedEpoch ?? '' }
  }

  read(sessionId: string, after: number, upTo: number, limits: { maxEvents: number }) {
    this.reads += 1
    const log = this.logs.get(sessionId)
    if (!log) return null
    const rows = log.events.filter(({ seq }) => seq > after && seq <= upTo).slice(0, limits.maxEvents)
    const gap = (from: number, to: number) => gapEvent({ from, to }, 'pruned', 1, sha256)
    return { logId: log.logId, events: fillHoles(after, upTo, rows, gap).slice(0, limits.maxEvents) }
  }

  acked(sessionId: string, upTo: number, hubEpoch: string): void {
    const log = this.logs.get(sessionId)
    if (log) Object.assign(log, { acked: upTo, ackedEpoch: hubEpoch })
  }

  async rebase(sessionId: string, order: RebaseOrder): Promise<void> {
    this.rebases.push(order)
    const log = this.logs.get(sessionId)
    if (!log) throw new CodedError('SESSION_NOT_FOUND')
    const moved = rebaseEvents(
      log.events.filter(({ seq }) => seq > order.held),
      order,
      1,
      sha256,
    )
    log.events = [...log.events.filter(({ seq }) => seq <= order.held), ...moved]
    log.acked = order.to
  }

  stopped(sessionId: string): void {
    this.stoppedStreams.push(sessionId)
    this.look()
  }

  attention(): void {}

  restingStates(): HostState[] {
    return []
  }

  states(): HostState[] {
    return this.hostStates
  }

  waits(): Waits {
    return { running: 0, limit: 4, commands: [] }
  }

  news(): CommandNewsItem[] {
    return this.pendingNews
  }

  newsDelivered(item: CommandNewsItem): void {
    this.pendingNews = this.pendingNews.filter(({ commandId }) => commandId !== item.commandId)
    this.look()
  }

  command(command: Command): Promise<CommandAnswer> {
    this.commands.push(command)
    return this.answerCommand(command)
  }

  async cancel(): Promise<CommandAnswer> {
    return { state: 'cancelled' }
  }

  async question(question: Question): Promise<QuestionAnswer<QuestionKind>> {
    if (question.kind === 'folders') throw new CodedError('PATH_NOT_ALLOWED')
    return { files: [`asked ${question.kind}`], complete: true }
  }

  connected(connected: boolean): void {
    this.presence.push(connected)
    this.look()
  }

  log(line: string): void {
    this.lines.push(line)
    this.look()
  }
}
