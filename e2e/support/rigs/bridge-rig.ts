/**
 * `roundhouse-agent bridge` of the production build, as the program that embeds it sees it: a process, JSON lines in, JSON lines
 * out. Every line is checked against the schema of the messages.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { BridgeReply, type BridgeReplyOf } from '@roundhouse/backend-types/bridge'
import { freshFolder, repoRoot } from '../common/paths'
import { until } from '../common/until'
import { type BackendKind, type Surroundings, surround } from '../processes/backends'
import { type MarkedProcess, processesOfHome } from '../processes/processes'
import type { Frame, Said } from './dialogue'

/** Far longer than anything takes: only a failure waits for it. */
const LIMIT_MS = 150_000

export const agentMain = path.join(repoRoot, 'apps/agent/dist/main.js')

type Type = BridgeReply['type']
export interface BridgeRigOptions {
  kind?: BackendKind
  policy?: Record<string, unknown>
  args?: string[]
  /** Variables of the client's own environment. */
  env?: Record<string, string>
}

/** A machine with a policy and a program, on which bridges run. */
export class BridgeRig {
  readonly home = freshFolder('bridge')
  private readonly bridges: BridgeClient[] = []

  private constructor(
    readonly surroundings: Surroundings,
    private readonly options: BridgeRigOptions,
  ) {
    this.writePolicy(options.policy ?? {})
  }

  static async start(options: BridgeRigOptions = {}): Promise<BridgeRig> {
    return new BridgeRig(await surround(options.kind ?? 'claude'), options)
  }

  get workDir(): string {
    return this.surroundings.workDir
  }

  /** What the bridge and its guards inherit. */
  get env(): Record<string, string> {
    const own = { PATH: process.env.PATH ?? '', HOME: this.home, ROUNDHOUSE_AGENT_HOME: path.join(this.home, 'agent') }
    return { ...own, ...this.surroundings.env, ROUNDHOUSE_AGENT_HOME: own.ROUNDHOUSE_AGENT_HOME, ...this.options.env }
  }

  writePolicy(policy: Record<string, unknown>): void {
    const { workDir, envAllow, path: program } = this.surroundings
    const kind = this.options.kind ?? 'claude'
    const backends = { [kind]: program === undefined ? {} : { path: program }, scripted: {} }
    const config = path.join(this.home, 'agent', 'config')
    mkdirSync(config, { recursive: true, mode: 0o700 })
    const all = { version: 1, roots: [workDir], backends, envAllow, ...policy }
    writeFileSync(path.join(config, 'policy.json'), JSON.stringify(all), { mode: 0o600 })
  }

  open(...args: string[]): BridgeClient {
    const bridge = new BridgeClient(['bridge', ...(this.options.args ?? []), ...args], this.env, this.workDir)
    this.bridges.push(bridge)
    return bridge
  }

  /** Of all bridges on this machine, with their guards, programs and commands. */
  processes(sessionIds: readonly string[] = []): MarkedProcess[] {
    const known = this.bridges.flatMap((bridge) => bridge.of('session.created').map(({ session_id }) => session_id))
    return processesOfHome(this.home, [...known, ...sessionIds])
  }

  gone(): Promise<unknown> {
    return until('no process to be left', () => this.processes().length === 0)
  }

  /** A command of the machine's owner: what it printed. */
  async agent(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [agentMain, ...args], { env: this.env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    await once(child, 'close')
    return output
  }

  /** The folders of sessions that run. */
  folders(): string[] {
    return readdirSync(path.join(this.home, 'agent', 'state', 'bridges'))
  }

  async dispose(): Promise<void> {
    for (const bridge of this.bridges) await bridge.end()
    await this.gone()
    await this.surroundings.dispose()
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** The program that embeds the bridge. */
export class BridgeClient {
  readonly replies: BridgeReply[] = []
  /** Both sides, in the order in which the client said and heard them. */
  readonly said: Said[] = []
  readonly exited: Promise<number | null>
  private readonly child: ChildProcess
  private readonly hears = new EventTarget()
  private sent = 0
  stderr = ''

  constructor(args: readonly string[], env: Record<string, string>, cwd: string) {
    this.child = spawn(process.execPath, [agentMain, ...args], { cwd, env, stdio: 'pipe' })
    this.exited = once(this.child, 'close').then(([code]) => {
      this.hears.dispatchEvent(new Event('line'))
      return code as number | null
    })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    if (!this.child.stdout) throw new Error('the bridge has no stdout')
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const message = BridgeReply.parse(JSON.parse(line))
      this.replies.push(message)
      this.said.push({ by: 'bridge', message })
      this.hears.dispatchEvent(new Event('line'))
    })
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  write(text: string): void {
    this.child.stdin?.write(text)
  }

  /** Sends a message under an id of its own, which it gives back. */
  send(message: object): string {
    this.sent += 1
    const id = `c${this.sent}`
    const whole = { id, ...message }
    this.said.push({ by: 'client', message: whole })
    this.write(`${JSON.stringify(whole)}\n`)
    return id
  }

  of<T extends Type>(type: T): BridgeReplyOf<T>[] {
    return this.replies.filter((reply) => reply.type === type) as BridgeReplyOf<T>[]
  }

  /** The first message that fits, now or later. */
  async wait<T extends BridgeReply>(what: string, fits: (reply: BridgeReply) => reply is T): Promise<T>
  async wait(what: string, fits: (reply: BridgeReply) => boolean): Promise<BridgeReply>
  async wait(what: string, fits: (reply: BridgeReply) => boolean): Promise<BridgeReply> {
    for (;;) {
      const found = this.replies.find(fits)
      if (found) return found
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the bridge ended before ${what}:\n${this.tail()}`)
      const limit = AbortSignal.timeout(LIMIT_MS)
      await Promise.race([
        once(this.hears, 'line'),
        once(limit, 'abort').then(() => {
          throw new Error(`waited for ${what}:\n${this.tail()}`)
        }),
      ])
    }
  }

  /** The answer to a message. */
  answer(id: string): Promise<BridgeReply> {
    return this.wait(`the answer to ${id}`, (reply) => 'id' in reply && reply.id === id)
  }

  async create(cwd: string, prompt: string, options: object = {}): Promise<BridgedSession> {
    const id = this.send({ type: 'session.create', payload: { prompt, cwd, options } })
    const reply = await this.answer(id)
    if (reply.type !== 'session.created') throw new Error(`no session: ${JSON.stringify(reply)}\n${this.stderr}`)
    return new BridgedSession(this, reply.session_id)
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  stopReading(): void {
    this.child.stdout?.pause()
  }

  closeStdin(): void {
    this.child.stdin?.end()
  }

  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.closeStdin()
    await this.exited
  }

  private tail(): string {
    return [
      ...this.replies.slice(-8).map((reply) => JSON.stringify(reply).slice(0, 600)),
      this.stderr.slice(-2_000),
    ].join('\n')
  }
}

export class BridgedSession {
  constructor(
    private readonly client: BridgeClient,
    readonly id: string,
  ) {}

  send(message: object): string {
    return this.client.send({ session_id: this.id, ...message })
  }

  prompt(message: string): string {
    return this.send({ type: 'session.send', payload: { message } })
  }

  kill(): Promise<BridgeReply> {
    return this.client.answer(this.send({ type: 'session.kill', payload: {} }))
  }

  interrupt(): Promise<BridgeReply> {
    return this.client.answer(this.send({ type: 'session.interrupt', payload: {} }))
  }

  async query(method: string, ...args: unknown[]): Promise<BridgeReplyOf<'query.result'>['payload']> {
    const reply = await this.client.answer(this.send({ type: 'query.call', payload: { method, args } }))
    if (reply.type !== 'query.result') throw new Error(JSON.stringify(reply))
    return reply.payload
  }

  reply(request: { id: string }, payload: object): void {
    this.client.send({ type: 'callback.response', id: request.id, session_id: this.id, payload })
  }

  /** The program's own frames so far. */
  get frames(): Frame[] {
    return this.client.of('sdk.message').flatMap((reply) => (reply.session_id === this.id ? [reply.payload] : []))
  }

  /** The results of its turns. */
  results(): Frame[] {
    return this.frames.filter(({ type }) => type === 'result')
  }

  /** Waits for so many turns. */
  async turns(count: number): Promise<Frame> {
    await this.client.wait(`${count} results`, () => this.results().length >= count)
    return this.results()[count - 1] ?? {}
  }

  /** The question with that number, from 1 on. */
  async asked(count = 1, type?: 'can_use_tool' | 'hook'): Promise<BridgeReplyOf<'callback.request'>> {
    const asked = () =>
      this.client
        .of('callback.request')
        .filter(({ session_id, payload }) => session_id === this.id && (!type || payload.callback_type === type))
    await this.client.wait(`question ${count}`, () => asked().length >= count)
    const found = asked()[count - 1]
    if (!found) throw new Error('no question')
    return found
  }

  /** What tools gave back, as one text. */
  toolResults(): string {
    return JSON.stringify(this.frames.filter(({ type }) => type === 'user'))
  }
}
