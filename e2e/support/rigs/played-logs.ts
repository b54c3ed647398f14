/** The logs of a played machine's sessions: they ask the hub about their trees in the name of a program, and read its answers. */
import type { TreeAnswer } from '@roundhouse/backend-types'
import { until } from '../common/until'
import { envelope } from '../wire/raw-events'
import type { PlayedMachine } from './played-machine'

type Body = Parameters<typeof envelope>[0]

export class PlayedLogs {
  readonly machine: PlayedMachine
  readonly #logs = new Map<string, Array<ReturnType<typeof envelope>>>()
  #requests = 0

  constructor(machine: PlayedMachine) {
    this.machine = machine
  }

  /** Resolves when the hub has acknowledged it. */
  async write(sessionId: string, ...bodies: Body[]): Promise<void> {
    const before = this.#logs.get(sessionId) ?? []
    const events = bodies.map((body, i) => envelope(body, { seq: before.length + i + 1 }))
    this.#logs.set(sessionId, [...before, ...events])
    await this.machine.ask('events', { sessionId, logId: `log_${sessionId}`, events })
  }

  /** Where the hub was gone. A machine that comes back reports all its sessions. */
  async comeBack(): Promise<void> {
    const sessions = [...this.#logs].map(([sessionId, { length }]) => {
      const known = { logId: `log_${sessionId}`, acked: 0, ackedEpoch: '' }
      return { sessionId, ...known, firstRetained: 1, last: length }
    })
    await until('the hub to take the machine', async () => {
      await this.machine.connect()
      await this.machine.ask('sessions', { last: true, sessions })
      return true
    })
  }

  /** The beginning of a session that the hub ordered, and what follows in the same breath. */
  async begin(sessionId: string, ...bodies: Body[]): Promise<void> {
    const isOrder = ({ body, ...of }: PlayedMachine['commands'][number]) =>
      body.kind === 'session.create' && of.sessionId === sessionId
    const { commandId } = await until('the order', () => this.machine.commands.find(isOrder))
    const settings = { backend: 'scripted', workDir: '/code' }
    const logId = `log_${sessionId}`
    await this.write(
      sessionId,
      { kind: 'session_created', commandId, logId, settings, realWorkDir: '/code' },
      ...bodies,
    )
  }

  /** One that a program makes, to be written into its log. */
  newRequest(verb: string, input: object) {
    return { kind: 'session_request', requestId: `q${++this.#requests}`, verb, input }
  }

  /** Asks the same so many times at once. Returns the ids of the requests. */
  async request(sessionId: string, verb: string, input: object, count = 1): Promise<string[]> {
    const requests = Array.from({ length: count }, () => this.newRequest(verb, input))
    await this.write(sessionId, ...requests)
    return requests.map(({ requestId }) => requestId)
  }

  /** As they came, with every repeat. */
  answers(requestId: string): Array<{ commandId: string; answer: TreeAnswer }> {
    return this.machine.commands.flatMap(({ commandId, body }) =>
      body.kind === 'tool.answer' && body.requestId === requestId ? [{ commandId, answer: body.answer }] : [],
    )
  }

  /** `ok`, the code of the refusal, or `open`. */
  outcome(requestId: string): string {
    const [first] = this.answers(requestId)
    if (!first) return 'open'
    return first.answer.ok ? 'ok' : first.answer.error.code
  }

  async ask(sessionId: string, verb: string, input: object = {}): Promise<TreeAnswer> {
    const [requestId = ''] = await this.request(sessionId, verb, input)
    return until(`the answer to ${verb}`, () => this.answers(requestId)[0]?.answer, 20_000)
  }
}
