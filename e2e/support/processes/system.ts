/** A whole Roundhouse for one story: a hub, an owner, and a joined agent with one backend. The test owns all of them. */
import { rmSync } from 'node:fs'
import { freshFolder } from '../common/paths'
import { AgentProcess } from './agent-process'
import { type BackendKind, type Surroundings, surround } from './backends'
import { HubProcess } from './hub-process'

export interface System {
  kind: BackendKind
  hub: HubProcess
  agent: AgentProcess
  workDir: string
  around: Surroundings
  dispose(): Promise<void>
}

export interface SystemOptions {
  idleMs?: number
  /** For the agent and its child processes. */
  env?: Record<string, string>
  hubEnv?: Record<string, string>
  /** The agent's folder; a fresh folder by default. */
  agentHome?: string
  /** Names of `env` that programs and session hosts must get too. */
  envAllow?: readonly string[]
  /** Absent: a fresh folder. */
  hubData?: string
  /** Called when the hub has its port, before anything joins. */
  started?: (hub: HubProcess) => void
}

export async function startSystem(kind: BackendKind, options: SystemOptions = {}): Promise<System> {
  const around = await surround(kind)
  const hubData = options.hubData ?? freshFolder('hub')
  const agentHome = options.agentHome ?? freshFolder('agent')
  const hub = new HubProcess(hubData, options.hubEnv)
  const agent = new AgentProcess(agentHome, { ...around.env, ...options.env })
  agent.writePolicy(policyFor(kind, around, options.envAllow))
  await hub.start()
  options.started?.(hub)
  await hub.makeOwner()
  await agent.join(hub, 'workbench')
  await agent.start(options.idleMs ? ['--idle-ms', String(options.idleMs)] : [])
  const dispose = async () => {
    const ended = await Promise.allSettled([agent.stop(), hub.stop()])
    // Ending processes of the agent write into these folders until they are gone.
    ended.push(...(await Promise.allSettled([around.dispose()])))
    for (const folder of [hubData, agentHome]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  }
  return { kind, hub, agent, workDir: around.workDir, around, dispose }
}

/** Only the backend of the story is allowed: the machine asks no other program what it can do, wherever the story is played. */
function policyFor(kind: BackendKind, around: Surroundings, envAllow: readonly string[] = []): Record<string, unknown> {
  const pinned = around.path ? { [kind]: { path: around.path } } : {}
  return {
    roots: [around.workDir],
    envAllow: [...around.envAllow, ...envAllow],
    backends: { scripted: {}, ...pinned },
    // The ledger compares the machine's whole log with the hub's.
    limits: { keepSessionBytes: 1024 * 1024 * 1024 },
  }
}
