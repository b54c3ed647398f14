/** The world that the chaos falls upon: a hub behind a bad network, three machines, their sessions, and who watches. */
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createHubClient, type HubClient, type HubRest, signIn } from '@roundhouse/hub-client'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { HubProcess, owner } from '../support/processes/hub-process'
import { FrameProxy } from '../support/wire/frame-proxy'
import { TcpProxy } from '../support/wire/tcp-proxy'
import { Viewer } from './viewer'

const MACHINES = 3
const SESSIONS_EACH = 2

export interface Machine {
  name: string
  process: AgentProcess
  agentId: string
  workDir: string
  truthFile: string
}

export interface ChaosSession {
  sessionId: string
  machine: Machine
  /** Counts its turns; the text of each carries session and turn, so nothing can be taken for something else. */
  label: string
  turns: number
}

export interface World {
  hub: HubProcess
  network: TcpProxy
  frames: FrameProxy
  machines: Machine[]
  sessions: ChaosSession[]
  viewers: Viewer[]
  /** Straight to the hub: what people do is not what is tested here. */
  rest: HubRest
  dispose(): Promise<void>
}

/** Agents and viewers come through one port, in two weathers. */
const laneOf = (bytes: Buffer) =>
  /x-roundhouse-agent|\/api\/v1\/agent\//i.test(bytes.toString('latin1')) ? 'agent' : 'viewer'

/** `homeOf`: where a machine keeps its own; a fresh folder unless told otherwise. */
export async function startWorld(homeOf: (n: number) => string = newHome): Promise<World> {
  let hubPort = () => 0
  const frames = await FrameProxy.start(() => hubPort())
  const network = await TcpProxy.start(() => Number(new URL(frames.url).port), laneOf)
  const hub = new HubProcess(freshFolder('chaos-hub'), { ROUNDHOUSE_PUBLIC_URL: network.url })
  await hub.start()
  hubPort = () => hub.port
  await hub.makeOwner()
  const { rest } = await hub.client()
  const machines: Machine[] = []
  for (let n = 1; n <= MACHINES; n += 1) machines.push(await startMachine(hub, rest, `machine-${n}`, homeOf(n)))
  const sessions: ChaosSession[] = []
  for (const machine of machines) {
    for (let n = 1; n <= SESSIONS_EACH; n += 1) sessions.push(await startSession(rest, machine, n))
  }
  const throughNetwork = await signIn(network.url, owner.email, owner.password)
  const watching: HubClient[] = sessions.map(() => createHubClient(throughNetwork))
  const viewers = sessions.map(({ sessionId }, i) => new Viewer(sessionId, watching[i] as HubClient))
  const dispose = async () => {
    for (const viewer of viewers) viewer.close()
    await Promise.allSettled(machines.map(({ process }) => process.stop()))
    await hub.stop()
    await network.close()
    await frames.close()
    for (const folder of [hub.dataDir, ...machines.map(({ process }) => process.home)]) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  return { hub, network, frames, machines, sessions, viewers, rest, dispose }
}

const newHome = () => freshFolder('chaos-agent')

export async function startMachine(hub: HubProcess, rest: HubRest, name: string, home = newHome()): Promise<Machine> {
  const workDir = freshFolder('chaos-work')
  const truthFile = path.join(freshFolder('chaos-truth'), 'truth.jsonl')
  const process = new AgentProcess(home, { ROUNDHOUSE_SCRIPT_TRUTH: truthFile })
  process.writePolicy({ roots: [workDir], envAllow: ['ROUNDHOUSE_SCRIPT_TRUTH'], backends: { scripted: {} } })
  const made = await rest.makeEnrollmentToken({ name })
  await process.join(hub, name, { token: made.token, fingerprint: made.hubKeyFingerprint, url: made.hubUrl })
  await process.start()
  const agent = (await rest.agents()).items.find((one) => one.name === name)
  if (!agent) throw new Error(`${name} did not join`)
  return { name, process, agentId: agent.agentId, workDir, truthFile }
}

export async function startSession(rest: HubRest, machine: Machine, n: number): Promise<ChaosSession> {
  const settings = { backend: 'scripted', workDir: machine.workDir }
  const { sessionId } = await rest.createSession({ agentId: machine.agentId, settings })
  const log = path.join(machine.process.sessionFolder(sessionId), 'log.db')
  await until('the session to have a log', () => existsSync(log))
  return { sessionId, machine, label: `${machine.name}-${n}`, turns: 0 }
}
