/** A hub from the production build with its own data folder. It keeps its port across a kill and a restart. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createHubClient, type HubClient, HubRest, type NodeLogin, signIn, Transport } from '@roundhouse/hub-client'
import { repoRoot } from '../common/paths'
import { until } from '../common/until'
import { OwnedProcess } from './owned-process'

export const owner = { name: 'Ana', email: 'ana@example.com', password: 'correct horse battery' }

interface HubFile {
  pid: number
  port: number
  url: string
  hubKeyFingerprint: string
  setupUrl: string | null
}

export class HubProcess {
  readonly dataDir: string
  #process: OwnedProcess | null = null
  #port = 0
  #login: Promise<NodeLogin> | null = null

  #checkout: string

  /** `env` is added to the few variables that a hub needs. `checkout`: another build. */
  constructor(
    dataDir: string,
    private readonly env: Record<string, string> = {},
    checkout = repoRoot,
  ) {
    this.dataDir = dataDir
    this.#checkout = checkout
  }

  /** From the next start on. */
  useBuildOf(checkout: string): void {
    this.#checkout = checkout
  }

  /** The address of the process itself, without any proxy in front. */
  get url(): string {
    return `http://localhost:${this.#port}`
  }

  get port(): number {
    return this.#port
  }

  get pid(): number {
    if (!this.#process) throw new Error('the hub is not running')
    return this.#process.pid
  }

  get output(): string {
    return this.#process?.output ?? ''
  }

  async start(): Promise<void> {
    const hub = this.#spawn()
    await until('the hub to be ready, or to end', () => this.#file() !== null || !hub.alive)
    const file = this.#file()
    if (!file) throw new Error(`the hub ended before it was ready:\n${hub.output}`)
    this.#port = file.port
  }

  /** For settings with which the hub must not start: returns what it printed before it ended. */
  async refusal(): Promise<string> {
    const hub = this.#spawn()
    await until('the hub to be ready, or to end', () => this.#file() !== null || !hub.alive)
    if (this.#file()) throw new Error('the hub came up')
    await hub.end('SIGTERM')
    return hub.output
  }

  #spawn(): OwnedProcess {
    rmSync(path.join(this.dataDir, 'hub.json'), { force: true })
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: this.dataDir,
      NODE_ENV: 'production',
      PORT: String(this.#port),
      ROUNDHOUSE_DATA_DIR: this.dataDir,
      ROUNDHOUSE_LOCAL_ENROLLMENT: '1',
      ...this.env,
    }
    this.#process = new OwnedProcess([path.join(this.#checkout, 'apps/hub/dist/server.js')], env, this.#checkout)
    return this.#process
  }

  /** Like a power cut for this process. */
  kill(): Promise<void> {
    return this.#process?.end('SIGKILL') ?? Promise.resolve()
  }

  stop(): Promise<void> {
    return this.#process?.end('SIGTERM') ?? Promise.resolve()
  }

  get setupCode(): string {
    const code = this.#file()?.setupUrl?.split('#')[1]
    if (!code) throw new Error('this hub has an owner already')
    return code
  }

  enrollment(): { token: string; fingerprint: string; url: string } {
    return JSON.parse(readFileSync(path.join(this.dataDir, 'local-enrollment.json'), 'utf8'))
  }

  async makeOwner(): Promise<void> {
    await new HubRest(new Transport({ baseUrl: this.url })).setup({ code: this.setupCode, ...owner })
  }

  /** The owner's login, created once. It survives a kill of the hub. */
  login(): Promise<NodeLogin> {
    this.#login ??= signIn(this.url, owner.email, owner.password)
    return this.#login
  }

  /** A client with the owner's login, like a program outside a browser. */
  async client(): Promise<HubClient> {
    return createHubClient(await this.login())
  }

  #file(): HubFile | null {
    const file = path.join(this.dataDir, 'hub.json')
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as HubFile) : null
  }
}
