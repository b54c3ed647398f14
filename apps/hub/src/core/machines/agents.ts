/** How people manage machines (JOIN-1..4). A change of rights reaches every live socket of the machine at once. */
import {
  type AgentState,
  type AgentsList,
  type AgentView,
  CodedError,
  type DiskTrouble,
  type FolderRules,
  type FoldersReply,
  type Waits,
} from '@roundhouse/backend-types'
import { type Actor, reaches, requireCan } from '../access/access'
import { entryOf } from '../audit/audit'
import { skewOf } from '../common/clock'
import type { Doorbells } from '../doorbells/doorbells'
import type { AgentRow } from '../ports/machine-store'
import type { Reads } from '../ports/stores'
import { once } from '../writes/once'
import type { PersonTx } from '../writes/write-as'
import { barredBy } from './barred'
import { createEnrollment, type EnrollmentApi, type EnrollmentDeps } from './enrollment'
import { boundManifest } from './machine-limits'

interface AgentsDeps extends EnrollmentDeps {
  reads: Pick<Reads, 'enrollmentTokens' | 'machines' | 'sessions'>
  /** Says on the bus which sessions end with the machine, in the transaction that revokes it. */
  tellRevokedEnds: (tx: PersonTx, agentId: string) => Promise<void>
  doorbells: Pick<Doorbells, 'ring'>
}

export interface AgentsApi extends EnrollmentApi {
  list(actor: Actor): Promise<AgentsList>
  get(actor: Actor, agentId: string): Promise<AgentView>
  rename(actor: Actor, agentId: string, name: string): Promise<AgentView>
  /** Asks the agent for its manifest again (CMD-6). */
  refresh(actor: Actor, agentId: string): Promise<AgentView>
  folders(actor: Actor, agentId: string, path?: string): Promise<FoldersReply>
  /** The rules of its folders (PERM-13). */
  folderRules(actor: Actor, agentId: string): Promise<FolderRules>
  /** `pending` to `active`. */
  approve(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  /** `pending` to `revoked`, which is final for that key. */
  refuse(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  disable(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  enable(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  revoke(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
  /** JOIN-4: the owner confirms that the copy is a restored disk. The next hello starts a new chain. */
  acceptRestored(actor: Actor, agentId: string, idempotencyKey: string): Promise<AgentView>
}

export function createAgents(deps: AgentsDeps): AgentsApi {
  const change = (action: string, apply: (tx: PersonTx, agent: AgentRow) => Promise<void>, bars?: AgentBar) => {
    return (actor: Actor, agentId: string, key: string) =>
      changeAgent(deps, { actor, agentId, key, action, apply, bars })
  }
  return {
    list: async (actor) => {
      requireCan(actor, 'agent.read')
      const mine = (await deps.reads.machines.listWithManifests()).filter(({ agentId }) => reaches(actor, agentId))
      return { items: await agentViews(deps, mine) }
    },
    get: async (actor, agentId) => {
      requireCan(actor, 'agent.read', { agentId })
      return agentView(deps, agentId)
    },
    rename: async (actor, agentId, name) => {
      requireCan(actor, 'agent.manage', { agentId })
      await requireAgent(deps, agentId)
      await deps.writeAs(actor, async (tx) => {
        await tx.machines.update(agentId, { name })
        await record(tx, deps, actor, 'agent.rename', agentId)
      })
      await ring(deps, agentId)
      return agentView(deps, agentId)
    },
    refresh: async (actor, agentId) => {
      requireCan(actor, 'session.create', { agentId }) // it makes the machine start programs
      await requireAgent(deps, agentId)
      const answer = await deps.presence.ask(agentId, { kind: 'manifest' }, 15_000)
      const manifest = boundManifest(answer.manifest)
      if (manifest === null) throw new CodedError('FRAME_TOO_LARGE')
      await deps.writeAs(actor, async (tx) => {
        requireActive(await tx.machines.find(agentId)) // it may have been revoked while it answered
        await tx.machines.update(agentId, { manifest })
        await record(tx, deps, actor, 'agent.refresh', agentId)
      })
      deps.changes.agent(agentId)
      return agentView(deps, agentId)
    },
    folders: async (actor, agentId, path) => {
      requireCan(actor, 'session.create', { agentId })
      await requireAgent(deps, agentId)
      const question = { kind: 'folders' as const, ...(path === undefined ? {} : { path }) }
      return deps.presence.ask(agentId, question)
    },
    folderRules: async (actor, agentId) => {
      requireCan(actor, 'agent.read', { agentId })
      await requireAgent(deps, agentId)
      return deps.presence.ask(agentId, { kind: 'rules' })
    },
    approve: change('agent.approve', from('pending', 'active')),
    refuse: change('agent.refuse', from('pending', 'revoked')),
    enable: change('agent.enable', from('disabled', 'active')),
    disable: change('agent.disable', from('active', 'disabled'), {
      code: 'AGENT_DISABLED',
      message: 'This machine was disabled. Running turns finish.',
    }),
    revoke: change('agent.revoke', revoked(deps), {
      code: 'AGENT_REVOKED',
      message: 'This machine was revoked.',
    }),
    acceptRestored: change('agent.accept_restored', async (tx, agent) => {
      await tx.machines.update(agent.agentId, { clonedAt: null, chainEpoch: '' })
    }),
    ...createEnrollment(deps),
  }
}

/** Only an approval admits a pending machine; it can be neither disabled nor enabled. */
const from = (before: AgentState, state: AgentState) => async (tx: PersonTx, agent: AgentRow) => {
  if (agent.state !== before) throw new CodedError('INVALID_ARGUMENT', `This machine is ${agent.state}, not ${before}.`)
  await tx.machines.update(agent.agentId, { state })
}

const revoked =
  ({ tellRevokedEnds }: AgentsDeps) =>
  async (tx: PersonTx, { agentId }: AgentRow): Promise<void> => {
    await tellRevokedEnds(tx, agentId)
    await tx.machines.update(agentId, { state: 'revoked' })
    await tx.commands.cancelOfMachine(agentId)
    await tx.requests.orphanOfMachine(agentId)
  }

/** Why this change must end the machine's live connection. */
type AgentBar = { code: 'AGENT_DISABLED' | 'AGENT_REVOKED'; message: string } | undefined

interface Change {
  actor: Actor
  agentId: string
  key: string
  action: string
  apply: (tx: PersonTx, agent: AgentRow) => Promise<void>
  bars: AgentBar
}

async function changeAgent(deps: AgentsDeps, change: Change): Promise<AgentView> {
  const { actor, agentId, key, action, apply, bars } = change
  requireCan(actor, 'agent.manage', { agentId })
  await once(deps, { actor, route: `${action} ${agentId}`, key, body: {} }, async (tx) => {
    const agent = await tx.machines.find(agentId)
    if (!agent) throw new CodedError('NOT_FOUND')
    if (agent.state === 'revoked') throw new CodedError('AGENT_REVOKED')
    await apply(tx, agent)
    await tx.hub.bumpRevocationVersion()
    await record(tx, deps, actor, action, agentId)
    return {}
  })
  if (bars) deps.presence.current(agentId)?.link.close(bars)
  await ring(deps, agentId)
  deps.doorbells.ring('bus', {}) // its sessions may have ended
  return agentView(deps, agentId)
}

async function ring({ changes, reads }: AgentsDeps, agentId: string): Promise<void> {
  changes.agent(agentId)
  for (const sessionId of await reads.sessions.idsOfMachine(agentId)) changes.session(sessionId)
}

function requireActive(agent: AgentRow | null): void {
  const barred = agent ? barredBy[agent.state] : 'NOT_FOUND'
  if (barred) throw new CodedError(barred)
}

async function requireAgent({ reads }: AgentsDeps, agentId: string): Promise<AgentRow> {
  const row = await reads.machines.findWithManifest(agentId)
  if (!row) throw new CodedError('NOT_FOUND', 'Machine not found.')
  return row
}

async function agentView(deps: AgentsDeps, agentId: string): Promise<AgentView> {
  const [view] = await agentViews(deps, [await requireAgent(deps, agentId)])
  if (!view) throw new CodedError('NOT_FOUND')
  return view
}

async function agentViews({ reads, presence }: AgentsDeps, rows: AgentRow[]): Promise<AgentView[]> {
  const active = await reads.sessions.activeByMachine(rows.length === 1 ? rows[0]?.agentId : undefined)
  return rows.map((row) => ({
    agentId: row.agentId,
    name: row.name,
    state: row.state,
    online: presence.isOnline(row.agentId),
    lastSeenAt: presence.lastSeen(row),
    createdAt: row.createdAt,
    keyFingerprint: row.keyFingerprint,
    ...(row.software === null ? {} : { software: row.software }),
    ...(row.platform === null ? {} : { platform: row.platform }),
    roots: [...row.roots],
    ...(row.maxSandbox === null ? {} : { maxSandbox: row.maxSandbox }),
    ...(row.pausedAt === null ? {} : { pausedAt: row.pausedAt }),
    ...(row.clonedAt === null ? {} : { clonedAt: row.clonedAt }),
    ...(presence.isOnline(row.agentId) ? skewView(row.clockOffsetMs) : {}),
    ...diskView(presence.waits(row.agentId)),
    manifest: row.manifest,
    activeSessions: active.get(row.agentId) ?? 0,
  }))
}

/** Nobody knows the clock of a machine that is not connected. */
function skewView(offsetMs: number): { clockSkewMs?: number } {
  const clockSkewMs = skewOf(offsetMs)
  return clockSkewMs === undefined ? {} : { clockSkewMs }
}

/** As the machine reports it on its present connection. */
function diskView(waits: Waits | null): { disk?: DiskTrouble } {
  return waits?.disk === undefined ? {} : { disk: waits.disk }
}

function record(tx: PersonTx, deps: AgentsDeps, actor: Actor, action: string, object: string): Promise<void> {
  return tx.audit.append(entryOf(actor, action, object), deps.now())
}
