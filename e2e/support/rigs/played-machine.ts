/** A properly joined machine that simulates sessions without processes: any number, in little time. */
import type { Command } from '@roundhouse/backend-types'
import WebSocket from 'ws'
import { envelope, runningState } from '../wire/raw-events'
import { hello, RawAgent, type Reply } from '../wire/raw-socket'
import type { RawWeb } from '../wire/raw-web'

export class PlayedMachine {
  readonly #agent: RawAgent
  readonly #web: RawWeb
  #socket: WebSocket | null = null
  /** As they came, with every repeat. */
  readonly commands: Command[] = []
  /** That of its last connection: a copy of the machine would not have it. */
  #chain = ''
  #next = 1
  readonly #asked = new Map<string, (reply: Reply) => void>()

  private constructor(web: RawWeb) {
    this.#web = web
    this.#agent = new RawAgent(web)
  }

  static async join(web: RawWeb, token: string): Promise<PlayedMachine> {
    const machine = new PlayedMachine(web)
    await machine.#agent.enroll(token)
    await machine.connect()
    return machine
  }

  get agentId(): string {
    return this.#agent.agentId
  }

  /** Again, where the hub was gone. Rejects where it is not there. */
  async connect(): Promise<void> {
    const web = this.#web
    const headers = { host: `localhost:${web.hub.port}`, ...(await this.#agent.headers()) }
    const url = `ws://127.0.0.1:${web.hub.port}/socket.io/?EIO=4&transport=websocket`
    const socket = new WebSocket(url, { headers })
    this.#socket = socket
    socket.on('close', () => this.#giveUp())
    socket.on('error', () => this.#giveUp())
    const welcome = new Promise<{ chain: string }>((resolve, reject) => {
      socket.on('message', (data) => this.#hear(String(data), resolve))
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('the hub closed the connection')))
    })
    socket.once('open', () => socket.send('40/agent,'))
    const chain = this.#chain
    this.#chain = (await welcome).chain
    await this.ask('hello', { ...hello, chain, now: Date.now() })
    await this.ask('sessions', { last: true, sessions: [] })
  }

  #hear(frame: string, welcome: (said: { chain: string }) => void): void {
    if (frame === '2') this.#socket?.send('3')
    const [, kind, id, json] = frame.match(/^4([23])\/agent,(\d*)(.*)$/s) ?? []
    if (kind === '3' && id !== undefined && json !== undefined) {
      const [reply] = JSON.parse(json) as [Reply]
      this.#asked.get(id)?.(reply)
      this.#asked.delete(id)
    }
    if (kind !== '2' || json === undefined) return
    const [event, body] = JSON.parse(json) as [string, { chain: string }]
    if (event === 'command') this.commands.push(body as unknown as Command)
    if (event === 'welcome') welcome(body)
    else if (id) this.#socket?.send(`43/agent,${id}[{"ok":true,"answer":{"state":"accepted"}}]`)
  }

  /** Nothing that was asked is answered any more. */
  #giveUp(): void {
    for (const reply of this.#asked.values()) reply({ ok: false, error: { code: 'CLOSED' } } as Reply)
    this.#asked.clear()
  }

  async ask(event: string, body: object): Promise<Reply> {
    const id = String(this.#next++)
    const reply = new Promise<Reply>((resolve) => this.#asked.set(id, resolve))
    this.#socket?.send(`42/agent,${id}${JSON.stringify([event, body])}`)
    const answer = await reply
    if (!answer.ok) throw new Error(`${event} was refused: ${JSON.stringify(answer.error)}`)
    return answer
  }

  tell(event: string, body: object): void {
    this.#socket?.send(`42/agent,${JSON.stringify([event, body])}`)
  }

  /** Plays a session from its first event to its rest, in the order of a real host. */
  async play(sessionId: string, commandId: string, end: 'asleep' | 'stopped' | 'crashed'): Promise<void> {
    const logId = `log_${sessionId}`
    const turn = { turnId: `turn_${sessionId}`, procId: 'p' }
    const state = (rev: number, atSeq: number, change: object) =>
      this.tell('state', runningState(sessionId, { rev, atSeq, ...change }))
    const begun = [
      {
        kind: 'session_created',
        commandId,
        logId,
        settings: { backend: 'scripted', workDir: '/code' },
        realWorkDir: '/code',
      },
      { kind: 'session_started', procId: 'p', backendSessionId: 'b', resumed: false },
      { kind: 'turn_started', commandId, ...turn, trigger: 'prompt', promptId: 'p1' },
    ]
    const block = { blockId: `block_${sessionId}`, text: 'Word by word it comes.' }
    const ended = [
      { kind: 'assistant_text', ...turn, ...block },
      { kind: 'turn_completed', ...turn, reason: 'completed' },
      ...(end === 'stopped' ? [{ kind: 'session_ended', why: 'stopped' }] : []),
      ...(end === 'crashed'
        ? [{ kind: 'process_exited', procId: 'p', code: 1, signal: null, stderrTail: '', cause: 'crashed' }]
        : []),
    ]
    const events = [...begun, ...ended].map((event, index) => envelope(event, { seq: index + 1 }))
    const head = events.length
    await this.ask('sessions', {
      last: true,
      sessions: [{ sessionId, logId, firstRetained: 1, last: 3, acked: 0, ackedEpoch: '' }],
    })
    state(1, 3, { turnId: turn.turnId })
    const frame = { sessionId, kind: 'assistant_text', ...turn, ...block, afterSeq: 3, offset: 0 }
    this.tell('live', { frames: [frame] })
    await this.ask('events', { sessionId, logId, events: events.slice(0, 3) })
    const rest = {
      asleep: { status: 'resumable', why: 'idle' },
      stopped: { status: 'ended', why: 'stopped' },
      crashed: { status: 'resumable', why: 'process_exited' },
    }[end]
    state(2, head, { status: { status: 'idle' } })
    // Prompts that nobody will run wait in the report of a session that a person ended.
    const waiting = { promptId: 'p2', rev: 0, text: 'And then?', commandId: `c_${sessionId}` }
    state(3, head, { status: rest, ...(end === 'stopped' ? { queue: [waiting], queueHeld: true } : {}) })
    await this.ask('events', { sessionId, logId, events: events.slice(3) })
    this.tell('live', { frames: [frame] }) // a late frame
  }

  close(): void {
    this.#socket?.terminate()
  }
}
