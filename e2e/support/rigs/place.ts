/**
 * A hub and any number of machines in folders that the test chooses, for example on a separate disk. Each machine has
 * the script's own record of its output, which lies elsewhere.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { AgentView, CommandMade, PermissionAsk, SessionEvent } from '@roundhouse/backend-types'
import type { HubClient, HubRest } from '@roundhouse/hub-client'
import { eventsOf, logOf, type Row, tableOf } from '../accounts/ledger'
import { freshFolder } from '../common/paths'
import { until } from '../common/until'
import { AgentProcess } from '../processes/agent-process'
import { HubProcess } from '../processes/hub-process'
import { scriptOf } from './rig'

export interface MachineOptions {
  home?: string
  /** Arguments of `up`. */
  up?: string[]
  policy?: Record<string, unknown>
  env?: Record<string, string>
}

export interface Machine {
  name: string
  agent: AgentProcess
  agentId: string
  workDir: string
  /** What the scripts recorded before they printed it. */
  truth: string
  up: string[]
}

export class Place {
  readonly hub: HubProcess
  readonly machines: Machine[] = []
  readonly #folders: string[] = []
  #client: HubClient | null = null
  #prompts = 0

  private constructor(hub: HubProcess) {
    this.hub = hub
    this.#folders.push(hub.dataDir)
  }

  static async start({ hubData = freshFolder('hub'), hubEnv = {} as Record<string, string> } = {}): Promise<Place> {
    const place = new Place(new HubProcess(hubData, hubEnv))
    await place.hub.start()
    await place.hub.makeOwner()
    place.#client = await place.hub.client()
    return place
  }

  get client(): HubClient {
    if (!this.#client) throw new Error('the hub has not been started')
    return this.#client
  }

  get rest(): HubRest {
    return this.client.rest
  }

  async join(
    name: string,
    { home = freshFolder('agent'), up = [], policy = {}, env = {} }: MachineOptions = {},
  ): Promise<Machine> {
    const own = freshFolder('own')
    const [workDir, truth, kept] = [path.join(own, 'work'), path.join(own, 'truth.jsonl'), path.join(own, 'kept')]
    mkdirSync(workDir)
    const agent = new AgentProcess(home, { ROUNDHOUSE_SCRIPT_TRUTH: truth, ROUNDHOUSE_SCRIPT_STATE: kept, ...env })
    agent.writePolicy({
      roots: [workDir],
      envAllow: ['ROUNDHOUSE_SCRIPT_TRUTH', 'ROUNDHOUSE_SCRIPT_STATE'],
      backends: { scripted: {} },
      ...policy,
    })
    this.#folders.push(home, own)
    const made = await this.rest.makeEnrollmentToken({ name })
    await agent.join(this.hub, name, { token: made.token, fingerprint: made.hubKeyFingerprint, url: made.hubUrl })
    await agent.start(up)
    const joined = (await this.rest.agents()).items.find((one) => one.name === name)
    if (!joined) throw new Error(`${name} did not join`)
    const machine = { name, agent, agentId: joined.agentId, workDir, truth, up }
    this.machines.push(machine)
    return machine
  }

  /** Requests a session. Resolves when the hub has accepted it, whether or not the machine is connected. */
  create({ agentId, workDir }: Machine, steps: readonly object[]): Promise<CommandMade> {
    return this.rest.createSession({ agentId, settings: { backend: 'scripted', workDir }, prompt: scriptOf(steps) })
  }

  /** The same. Resolves when the session has a log. */
  async begin(machine: Machine, steps: readonly object[]): Promise<string> {
    const { sessionId } = await this.create(machine, steps)
    await until('the session to have a log', () =>
      existsSync(path.join(machine.agent.sessionFolder(sessionId), 'log.db')),
    )
    return sessionId
  }

  prompt(sessionId: string, steps: readonly object[]): Promise<CommandMade> {
    return this.rest.prompt(sessionId, { promptId: `p_${this.#prompts++}`, text: scriptOf(steps) })
  }

  asked(sessionId: string, timeoutMs?: number): Promise<PermissionAsk> {
    const look = async () => {
      const { requests } = (await this.rest.snapshot(sessionId, 1)).session
      return requests.find(({ decision, outcome }) => !decision && outcome === 'open')?.ask
    }
    return until('a question at the hub', look, timeoutMs)
  }

  allow({ requestId, digest }: Pick<PermissionAsk, 'requestId' | 'digest'>) {
    return this.rest.decide(requestId, { decision: 'allow', digest })
  }

  view({ agentId }: Machine): Promise<AgentView> {
    return this.rest.agent(agentId)
  }

  rows(sessionId: string): Row[] {
    return tableOf(this.hub.dataDir, sessionId)
  }

  events(sessionId: string): SessionEvent[] {
    return eventsOf(this.rows(sessionId))
  }

  texts(sessionId: string): string[] {
    return this.events(sessionId).flatMap((event) =>
      event.kind === 'assistant_text' && typeof event.text === 'string' ? [event.text] : [],
    )
  }

  log({ agent }: Machine, sessionId: string): Row[] {
    return logOf(agent.sessionFolder(sessionId))
  }

  async dispose(): Promise<void> {
    this.#client?.close()
    const ended = await Promise.allSettled(this.machines.map(({ agent }) => agent.stop()))
    await this.hub.stop()
    // A failed test may end a daemon that is starting hosts.
    for (const { agent } of this.machines) for (const pid of hostsOf(agent.home)) process.kill(pid, 'SIGKILL')
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  }
}

/** The session hosts of a machine, found by their command lines, which name the session's folder. */
export function hostsOf(home: string): number[] {
  const sessions = path.join(home, 'state/sessions')
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
      const isHost = words.some((word) => word.endsWith('host.js')) && words.some((word) => word.startsWith(sessions))
      return isHost ? [Number(name)] : []
    } catch {
      return []
    }
  })
}
