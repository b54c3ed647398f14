/**
 * A system for tests of faults: real processes, a client that talks directly to the hub, and the script's own record of
 * its output. The connection between agent and hub, and the points at which processes die by themselves, are chosen at
 * the start.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { CommandMade, PermissionAsk, SessionSettings } from '@roundhouse/backend-types'
import { FAILPOINTS_VARIABLE, type Failpoints } from '@roundhouse/failpoint'
import type { HubClient, HubRest } from '@roundhouse/hub-client'
import { blocksOf, eventsOf, logOf, progressOf, type Row, readAll, tableOf, truthOf } from '../accounts/ledger'
import { freshFolder } from '../common/paths'
import { until } from '../common/until'
import type { BackendKind } from '../processes/backends'
import { type System, startSystem } from '../processes/system'

/** A proxy between agent and hub. It gets the hub's port when the hub has one. */
export interface Front {
  readonly url: string
  close(): Promise<void>
}

export interface RigOptions<F extends Front> {
  /** Scripted, unless told otherwise. */
  kind?: BackendKind
  hubFailpoints?: Failpoints
  hubEnv?: Record<string, string>
  hubData?: string
  agentFailpoints?: Failpoints
  agentEnv?: Record<string, string>
  /** The agent's folder, and the names in `agentEnv` that its programs and session hosts must get too. */
  agentHome?: string
  envAllow?: readonly string[]
  front?: (target: () => number) => Promise<F>
  idleMs?: number
}

export interface Rig<F extends Front = Front> {
  system: System
  client: HubClient
  rest: HubRest
  front: F
  folder: string
  /** Starts a session with this script. Resolves to its id when the agent has accepted it. */
  begin(steps: readonly object[], settings?: Partial<SessionSettings>): Promise<string>
  prompt(sessionId: string, steps: readonly object[]): Promise<CommandMade>
  /** The oldest waiting request of the session, once the hub has it. */
  asked(sessionId: string): Promise<PermissionAsk>
  /** Allows it. */
  allow(ask: Pick<PermissionAsk, 'requestId' | 'digest'>): Promise<unknown>
  /** How many events of the session the hub has stored. */
  stored(sessionId: string): number
  /**
   * Waits until the session is quiet and hub and agent have the same events, and then compares all records. Real
   * programs have no record that could be compared word by word; for them it compares the log, the table and the REST
   * pages.
   */
  agree(sessionId: string): Promise<Row[]>
  dispose(): Promise<void>
}

export const scriptOf = (steps: readonly object[]) => `Please. SCRIPT: ${JSON.stringify(steps)}`

export async function startRig<F extends Front = Front>(options: RigOptions<F> = {}): Promise<Rig<F>> {
  const folder = freshFolder('rig')
  const truth = path.join(folder, 'truth.jsonl')
  let hubPort = () => 0
  const front = (await options.front?.(() => hubPort())) as F
  const kind = options.kind ?? 'scripted'
  const system = await startSystem(kind, {
    env: { ROUNDHOUSE_SCRIPT_TRUTH: truth, ...failpointsOf(options.agentFailpoints), ...options.agentEnv },
    hubEnv: {
      ...(front ? { ROUNDHOUSE_PUBLIC_URL: front.url } : {}),
      ...failpointsOf(options.hubFailpoints),
      ...options.hubEnv,
    },
    ...(options.hubData === undefined ? {} : { hubData: options.hubData }),
    started: (hub) => {
      hubPort = () => hub.port
    },
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
    ...(options.agentHome === undefined ? {} : { agentHome: options.agentHome }),
    ...(options.envAllow === undefined ? {} : { envAllow: options.envAllow }),
  })
  const client = await system.hub.client()
  const { rest } = client
  let prompts = 0

  return {
    system,
    client,
    rest,
    front,
    folder,
    begin: async (steps, settings = {}) => {
      const [agent] = (await rest.agents()).items
      const made = await rest.createSession({
        agentId: agent?.agentId ?? '',
        settings: { backend: kind, workDir: system.workDir, ...settings },
        prompt: scriptOf(steps),
      })
      await until('the session to have a log', () =>
        existsSync(path.join(system.agent.sessionFolder(made.sessionId), 'log.db')),
      )
      return made.sessionId
    },
    prompt: (sessionId, steps) => rest.prompt(sessionId, { promptId: `p_${prompts++}`, text: scriptOf(steps) }),
    asked: (sessionId) =>
      until('a question at the hub', async () => {
        const { requests } = (await rest.snapshot(sessionId, 1)).session
        return requests.find(({ decision, outcome }) => !decision && outcome === 'open')?.ask
      }),
    allow: ({ requestId, digest }) => rest.decide(requestId, { decision: 'allow', digest }),
    stored: (sessionId) => tableOf(system.hub.dataDir, sessionId).length,
    agree: async (sessionId) => {
      const sessionFolder = system.agent.sessionFolder(sessionId)
      await settle(rest, sessionFolder, sessionId)
      const rows = logOf(sessionFolder)
      const shown = (await readAll(rest, sessionId)).map(({ seq, hash, body }) => ({ seq, hash, body }))
      same(
        'numbers without holes',
        rows.map(({ seq }) => seq),
        rows.map((_, index) => index + 1),
      )
      const log = eventsOf(rows)
      if (kind === 'scripted') same('the script and the log', blocksOf(log), truthOf(truth, log))
      same("the hub's table and the log", tableOf(system.hub.dataDir, sessionId), rows)
      same('the REST pages and the log', shown, rows)
      return rows
    },
    dispose: async () => {
      client.close()
      await system.dispose()
      await front?.close()
    },
  }
}

async function settle(rest: HubRest, sessionFolder: string, sessionId: string): Promise<void> {
  let seen = {}
  const isSettled = async () => {
    const log = progressOf(sessionFolder)
    const { session, head } = await rest.snapshot(sessionId, 1)
    const { status, agentOnline, turnId, commands, queueHeld } = session
    // A prompt may wait in a held queue until somebody releases it. Other accepted commands do not take long.
    const waits = ({ kind, state }: (typeof commands)[number]) =>
      state === 'accepted' && kind === 'prompt.send' && queueHeld
    const onTheWay = commands.filter(
      (command) => ['pending', 'sent', 'accepted'].includes(command.state) && !waits(command),
    )
    seen = { log, head, status, agentOnline, turnId, onTheWay }
    return log.begun && !log.inTurn && head === log.head && turnId === undefined && onTheWay.length === 0
  }
  await until('agent and hub to hold the same, with nothing going on', isSettled, 90_000).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(seen)}`, { cause: error.cause })
  })
}

function failpointsOf(points: Failpoints | undefined): Record<string, string> {
  return points ? { [FAILPOINTS_VARIABLE]: JSON.stringify(points) } : {}
}

function same(what: string, found: readonly unknown[], wanted: readonly unknown[]): void {
  const at = wanted.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(found[index]))
  if (at < 0 && found.length === wanted.length) return
  const first = at < 0 ? wanted.length : at
  throw new Error(
    `${what}: ${found.length} instead of ${wanted.length}, the first other one at ${first}:\n` +
      `  found  ${JSON.stringify(found[first])}\n  wanted ${JSON.stringify(wanted[first])}`,
  )
}
