/**
 * Measures what others notice while one machine is busy: how soon the hub answers and shows a request, and which
 * processes live meanwhile.
 */
import { createHubClient, InboxWatch } from '@roundhouse/hub-client'
import { openViewer } from '../accounts/viewer'
import { until } from '../common/until'
import type { AgentProcess } from '../processes/agent-process'
import { cpuOfAllMs, residentMib } from '../processes/process-cost'
import type { Rig } from './rig'

/** A second machine beside the busy one, with a session that streams and one that can make a request. */
export interface Beside {
  agent: AgentProcess
  streaming: string
  asking: string
}

const HEALTH_EVERY_MS = 40
const LOOK_EVERY_MS = 500
/** The value for a missing answer. */
const LATE_MS = 120_000

export class Gauge {
  readonly #health: number[] = []
  readonly #questions: number[] = []
  readonly #most = { hosts: 0, mib: 0, hubMib: 0 }
  readonly #cpu = { hub: 0, machine: 0 }
  #pause = 0
  #over = false

  constructor(
    private readonly rig: Rig,
    private readonly beside: Beside,
  ) {}

  async during(work: () => Promise<unknown>): Promise<void> {
    const { hub, agent } = this.rig.system
    const viewer = await openViewer(hub, this.beside.streaming)
    const begun = performance.timeOrigin + performance.now()
    const before = { hub: cpuOfAllMs(hub.pid), machine: cpuOfAllMs(agent.pid) }
    const parts = [this.#askHealth(), this.#askQuestions(), this.#look()]
    try {
      await work()
    } finally {
      this.#over = true
      const hosts = this.#hostPids().reduce((sum, pid) => sum + cpuOfAllMs(pid), 0)
      Object.assign(this.#cpu, {
        hub: cpuOfAllMs(hub.pid) - before.hub,
        machine: cpuOfAllMs(agent.pid) + hosts - before.machine,
      })
      await Promise.all(parts)
      const lines = [begun, ...viewer.arrivals().flatMap(({ at }) => (at > begun ? [at] : [])), Date.now()]
      this.#pause = Math.max(...lines.slice(1).map((at, n) => at - (lines[n] ?? at)))
      viewer.close()
    }
  }

  figures() {
    const health = [...this.#health].sort((a, b) => a - b)
    return {
      healthP99: Math.round(health[Math.floor(health.length * 0.99)] ?? 0),
      healthMax: Math.round(health.at(-1) ?? 0),
      questions: this.#questions.length,
      questionMax: Math.round(Math.max(0, ...this.#questions)),
      /** The longest time between two lines of the second machine's stream, as a viewer sees them. */
      streamPause: Math.round(this.#pause),
      /** The highest number of session hosts of the busy machine. */
      hosts: this.#most.hosts,
      /** Hub, daemons, hosts and programs together. */
      mib: this.#most.mib,
      hubMib: this.#most.hubMib,
      hubCpuMs: this.#cpu.hub,
      machineCpuMs: this.#cpu.machine,
    }
  }

  async #askHealth(): Promise<void> {
    while (!this.#over) {
      const begun = performance.now()
      await this.rig.rest.health()
      this.#health.push(performance.now() - begun)
      await pause(HEALTH_EVERY_MS)
    }
  }

  /** The time from the prompt to the request in a person's inbox. */
  async #askQuestions(): Promise<void> {
    const client = createHubClient(await this.rig.system.hub.login())
    const open = new Map<string, { requestId: string; digest: string }>()
    const inbox = new InboxWatch(client.rest, client.socket, {
      onInbox: ({ requests }) => {
        for (const { sessionId, ask } of requests) if (sessionId === this.beside.asking) open.set(ask.requestId, ask)
      },
    })
    const answered = new Set<string>()
    while (!this.#over) {
      const begun = performance.now()
      await this.rig.prompt(this.beside.asking, [
        { tool: 'Write', input: { file_path: 'b.txt', content: String(begun) } },
        { text: 'Asked.' },
      ])
      const isNew = () => [...open.values()].find(({ requestId }) => !answered.has(requestId))
      while (!isNew() && performance.now() - begun < LATE_MS) await pause(10)
      this.#questions.push(performance.now() - begun)
      const ask = isNew()
      if (!ask) break
      answered.add(ask.requestId)
      await this.rig.allow(ask)
      await until('its turn to end', async () => {
        const { turnId, commands } = (await this.rig.rest.snapshot(this.beside.asking, 1)).session
        return turnId === undefined && commands.length === 0
      })
    }
    inbox.close()
    client.close()
  }

  async #look(): Promise<void> {
    const { hub, agent } = this.rig.system
    while (!this.#over) {
      const hosts = this.#hostPids()
      const programs = agent.sessionIds().flatMap((sessionId) => agent.backendPid(sessionId) ?? [])
      const all = [hub.pid, agent.pid, this.beside.agent.pid, ...hosts, ...programs]
      const hubMib = residentMib(hub.pid)
      this.#most.hosts = Math.max(this.#most.hosts, hosts.length)
      this.#most.mib = Math.max(
        this.#most.mib,
        all.reduce((sum, pid) => sum + residentMib(pid), 0),
      )
      this.#most.hubMib = Math.max(this.#most.hubMib, hubMib)
      await pause(LOOK_EVERY_MS)
    }
  }

  #hostPids(): number[] {
    const { agent } = this.rig.system
    return agent.sessionIds().flatMap((sessionId) => (agent.hasHost(sessionId) ? (agent.hostPid(sessionId) ?? []) : []))
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
