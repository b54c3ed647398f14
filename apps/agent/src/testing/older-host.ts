/** Plays the session host of the version before, and whatever a test wants of it; and the daemon's hold on its session. */
import { createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import type { HostState } from '@roundhouse/backend-types'
import { HostedSession } from '../daemon/hosts/session/hosted-session'
import type { HostedSessionPorts } from '../daemon/hosts/session/hosted-session-ports'
import { LineSplitter, writeLine } from '../host-contract/framing'
import { doorOf } from '../host-contract/host-door'
import { LaunchSpec } from '../host-contract/launch-spec'
import { HOST_PROTOCOL } from '../host-contract/messages'

const sessionId = 's1'
const token = 'x'.repeat(32)

/** It does not know `acked`, and its state lacks nothing that is needed. */
export class OlderHost {
  readonly heard: string[] = []
  /** What it gives no answer to. */
  readonly silentTo = new Set<string>()
  /** Whether it leaves when it is asked to. */
  stops = true
  /** In its hello; the version before says nothing of it. */
  place: boolean | undefined
  private socket: Socket | null = null
  private server: Server | null = null
  private wake = () => {}

  constructor(private readonly state: HostState) {}

  async listen(socketPath: string): Promise<void> {
    this.server = createServer((socket) => {
      this.socket = socket
      const lines = new LineSplitter(1_000_000)
      socket.on('error', () => {}) // whoever is ended hangs up in the middle
      socket.on('data', (chunk) => {
        for (const line of lines.push(chunk)) this.receive(JSON.parse(line))
      })
    })
    const { server } = this
    await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  }

  say(message: object): void {
    if (this.socket) writeLine(this.socket, message as never)
  }

  async until(test: () => boolean): Promise<void> {
    while (!test()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  async close(): Promise<void> {
    this.socket?.destroy()
    await new Promise((resolve) => this.server?.close(resolve))
  }

  private receive(request: { type: string; id: number }): void {
    this.heard.push(request.type)
    if (request.type === 'auth') {
      const proto = HOST_PROTOCOL - 1
      const { state, place } = this
      this.say({ type: 'hello', proto, pid: 1, start: '1', sessionId, logId: 'log', head: 3, state, place })
    } else if (request.type === 'acked') {
      const error = { code: 'INTERNAL', message: 'Invalid discriminator value.', retryable: true }
      this.say({ type: 'answer', id: request.id, ok: false, error })
    } else if (!this.silentTo.has(request.type)) {
      const answers: Record<string, object> = { command: { state: 'accepted' }, stop: { stopped: this.stops } }
      const value = answers[request.type] ?? null
      this.say({ type: 'answer', id: request.id, ok: true, value })
    }
    this.wake()
  }
}

type Duties = Omit<HostedSessionPorts, 'policy'>

/** Of a session whose host listens in this folder. */
export function hostedOf(
  folder: string,
  fields: { [Duty in keyof Duties]?: Partial<Duties[Duty]> },
  patience?: { answerMs: number; leaveMs: number },
) {
  const spec = LaunchSpec.parse({
    version: 1,
    sessionId,
    sessionDir: folder,
    socketPath: path.join(folder, 'h.sock'),
    // As the version before wrote it: without what was added since.
    socketToken: token,
    mode: 'run',
    idleMs: 1,
    policy: { roots: [], maxSandbox: 'workspace-write', allowBypassPermissions: false },
    backends: {},
    digestKeyPath: path.join(folder, 'key'),
  })
  const processes = { door: () => doorOf(spec, Buffer.alloc(32)), classify: async () => ({ class: 'attached' }) }
  const records = { acked: () => null, noticeMark: () => false, isBroken: () => false, head: () => {} }
  const reports = { state: () => {}, changed: () => {}, log: () => {} }
  const ports = {
    policy: () => spec.policy,
    processes: { ...processes, ...fields.processes },
    records: { ...records, ...fields.records },
    reports: { ...reports, ...fields.reports },
    erasing: { ...fields.erasing },
  }
  return new HostedSession(sessionId, ports as HostedSessionPorts, patience)
}
