/** An agent daemon from the production build with its own home. Its session hosts survive a kill of the daemon. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repoRoot } from '../common/paths'
import { until } from '../common/until'
import type { HubProcess } from './hub-process'
import { OwnedProcess } from './owned-process'
import { killThoseThatAreLeft, processesOfHome } from './processes'

const LEAVE_LIMIT_MS = 20_000

interface HostFile {
  pid: number
  procs: Array<{ procId: string; pid: number }>
}

export class AgentProcess {
  readonly home: string
  readonly #env: Record<string, string>
  #main: string
  #process: OwnedProcess | null = null

  /** `env`: the owner's environment, with what the backends need and nothing of the tester's. `main`: another build. */
  constructor(home: string, env: Record<string, string>, main = agentMain) {
    this.home = home
    this.#main = main
    this.#env = { PATH: process.env.PATH ?? '', HOME: home, ...env, ROUNDHOUSE_AGENT_HOME: home }
  }

  /** Uses the agent of the checkout under test from the next start on. */
  useThisBuild(): void {
    this.#main = agentMain
  }

  get pid(): number {
    if (!this.#process) throw new Error('the agent is not running')
    return this.#process.pid
  }

  /** False if it has ended for any reason. */
  get running(): boolean {
    return this.#process?.alive === true
  }

  get output(): string {
    return this.#process?.output ?? ''
  }

  writePolicy(policy: Record<string, unknown>): void {
    mkdirSync(path.join(this.home, 'config'), { recursive: true, mode: 0o700 })
    const file = path.join(this.home, 'config/policy.json')
    // Replaced in one step: an agent that reads half of it refuses work.
    writeFileSync(`${file}.new`, JSON.stringify({ version: 1, ...policy }), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }

  /** Resolves to what it printed. */
  async join(hub: HubProcess, name: string, ticket = hub.enrollment()): Promise<string> {
    const { token, fingerprint, url } = ticket
    const tokenFile = path.join(this.home, 'token')
    writeFileSync(tokenFile, token, { mode: 0o600 })
    return this.#run(['join', url, '--fingerprint', fingerprint, '--token-file', tokenFile, '--name', name])
  }

  async start(extra: string[] = []): Promise<void> {
    this.launch(extra)
    await this.connected()
  }

  /** Does not wait: the hub may be away. */
  launch(extra: string[] = []): void {
    this.#process = new OwnedProcess([this.#main, 'up', '--allow-root', ...extra], this.#env, this.home)
  }

  connected(): Promise<unknown> {
    const agent = this.#process
    return until('the agent to connect', () => {
      if (agent && !agent.alive) throw new Error(`the agent ended:\n${agent.output}`)
      const daemon = this.#readJson<{ pid: number; connected: boolean }>('state/daemon.json')
      return daemon?.pid === agent?.pid && daemon?.connected === true
    })
  }

  kill(): Promise<void> {
    return this.#process?.end('SIGKILL') ?? Promise.resolve()
  }

  /** Resolves when it has ended by itself. */
  ended(): Promise<unknown> {
    return until('the agent to end by itself', () => this.#process?.alive === false)
  }

  /** Ends the daemon and every session host of this home. Resolves when no process is left that could write there. */
  async stop(): Promise<void> {
    const sessionIds = this.sessionIds()
    await this.#process?.end('SIGINT')
    if (this.sessionIds().some((sessionId) => this.hasHost(sessionId))) await this.#run(['stop', '--sessions'])
    await this.#left(sessionIds)
  }

  /** A host that has said goodbye may survive its daemon for a moment. A host that stays is a fault and is named. */
  async #left(sessionIds: readonly string[]): Promise<void> {
    const here = () => processesOfHome(this.home, sessionIds)
    await until('the processes of the agent to end', () => here().length === 0, LEAVE_LIMIT_MS).catch((cause) => {
      const left = here()
      killThoseThatAreLeft(left)
      const names = left.map(({ pid, command }) => `${pid} ${command}`).join('; ')
      throw new Error(`outlived their agent: ${names}; it said:\n${this.output}`, { cause })
    })
  }

  /** The owner's own kill switch on the machine. */
  pause(): Promise<unknown> {
    return this.#run(['pause'])
  }

  resume(): Promise<unknown> {
    return this.#run(['resume'])
  }

  hostPid(sessionId: string): number | undefined {
    return this.#host(sessionId)?.pid
  }

  /** Like a power cut for the host of this session. False if there is none. */
  killHost(sessionId: string): boolean {
    const pid = this.hostPid(sessionId)
    try {
      return pid !== undefined && process.kill(pid, 'SIGKILL')
    } catch {
      return false
    }
  }

  backendPid(sessionId: string): number | undefined {
    return this.#host(sessionId)?.procs.at(-1)?.pid
  }

  sessionFolder(sessionId: string): string {
    return path.join(this.home, 'state/sessions', sessionId)
  }

  sessionIds(): string[] {
    const folder = path.join(this.home, 'state/sessions')
    return existsSync(folder) ? readdirSync(folder) : []
  }

  hasHost(sessionId: string): boolean {
    const pid = this.hostPid(sessionId)
    try {
      return pid !== undefined && process.kill(pid, 0)
    } catch {
      return false
    }
  }

  #host(sessionId: string): HostFile | null {
    return this.#readJson<HostFile>(path.join('state/sessions', sessionId, 'host.json'))
  }

  /** Also null if it disappeared at this moment. */
  #readJson<T>(file: string): T | null {
    try {
      return JSON.parse(readFileSync(path.join(this.home, file), 'utf8')) as T
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  /** Runs another command of the owner to its end. `env` is added. */
  async command(args: string[], env: Record<string, string> = {}): Promise<OwnedProcess> {
    const child = new OwnedProcess([this.#main, ...args], { ...this.#env, ...env }, this.home)
    await until(`roundhouse-agent ${args[0]}`, () => !child.alive)
    return child
  }

  async #run(args: string[]): Promise<string> {
    const child = await this.command(args)
    if (!child.succeeded) throw new Error(`roundhouse-agent ${args.join(' ')} failed:\n${child.output}`)
    return child.output
  }
}

const agentMain = path.join(repoRoot, 'apps/agent/dist/main.js')
