/** Runs `npm start` on its own folders, with a client for the hub that it starts. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createHubClient, type HubClient, HubRest, signIn, Transport } from '@roundhouse/hub-client'
import { freshFolder, repoRoot } from '../common/paths'
import { until } from '../common/until'
import { owner } from './hub-process'
import { OwnedProcess } from './owned-process'

interface ProcessFile {
  pid: number
  url: string
  setupUrl: string | null
}

export class StartCommand {
  readonly #folder = freshFolder('start')
  readonly workspace = path.join(this.#folder, 'workspace')
  hubData = path.join(this.#folder, 'hub')
  #agentHome = path.join(this.#folder, 'agent')
  #process: OwnedProcess | null = null

  /** Starts it and waits for the line that tells a person to open the page. */
  async start(env: Record<string, string> = {}): Promise<OwnedProcess> {
    const command = this.run(env)
    await until(
      'npm start to say that it runs',
      () => {
        if (!command.alive) throw new Error(`it ended:\n${command.output}`)
        return command.output.includes('Ctrl-C to stop')
      },
      90_000,
    )
    return command
  }

  run(env: Record<string, string>): OwnedProcess {
    this.hubData = env.ROUNDHOUSE_DATA_DIR ?? this.hubData
    this.#agentHome = env.ROUNDHOUSE_AGENT_HOME ?? this.#agentHome
    this.#process = this.another(env)
    return this.#process
  }

  /** Runs beside the first one and uses its folders, unless `env` names others. */
  another(env: Record<string, string>): OwnedProcess {
    const place = {
      PATH: process.env.PATH ?? '',
      HOME: this.#folder,
      PORT: '0',
      ROUNDHOUSE_DATA_DIR: this.hubData,
      ROUNDHOUSE_AGENT_HOME: this.#agentHome,
      ROUNDHOUSE_WORKSPACE: this.workspace,
    }
    const script = path.join(repoRoot, 'scripts/start.mjs')
    return new OwnedProcess([script], { ...place, ...env }, repoRoot)
  }

  get hub(): ProcessFile {
    return read(path.join(this.hubData, 'hub.json'))
  }

  get daemon(): ProcessFile {
    return read(path.join(this.#agentHome, 'state/daemon.json'))
  }

  async makeOwner(): Promise<void> {
    const code = this.hub.setupUrl?.split('#')[1] ?? ''
    await new HubRest(new Transport({ baseUrl: this.hub.url })).setup({ code, ...owner })
  }

  async client(): Promise<HubClient> {
    return createHubClient(await signIn(this.hub.url, owner.email, owner.password))
  }

  /** Starts a session in the workspace. Resolves when its host is running. */
  async startSession(client: HubClient, prompt: string): Promise<{ sessionId: string; hostPid: number }> {
    const { items } = await client.rest.agents()
    const settings = { backend: 'scripted', workDir: this.workspace }
    const { sessionId } = await client.rest.createSession({ agentId: items[0]?.agentId ?? '', settings, prompt })
    const hostFile = path.join(this.#agentHome, 'state/sessions', sessionId, 'host.json')
    const host = await until('the session host', () => (existsSync(hostFile) ? read(hostFile) : null))
    return { sessionId, hostPid: host.pid }
  }

  /** Ends what a failed story may have left, and removes the folders. */
  async dispose(): Promise<void> {
    await this.#process?.end('SIGINT')
    const sessions = path.join(this.#agentHome, 'state/sessions')
    for (const sessionId of existsSync(sessions) ? readdirSync(sessions) : []) {
      const hostFile = path.join(sessions, sessionId, 'host.json')
      if (existsSync(hostFile)) kill(JSON.parse(readFileSync(hostFile, 'utf8')).pid)
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as ProcessFile

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function kill(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL')
}
