/** What people do with trees of sessions: let a session start others, and end all of them (TREE-1, TREE-5). */
import { CodedError, type SessionSummary, type SpawningRequest, type TreeStopped } from '@roundhouse/backend-types'
import { type Actor, reaches, requireCan } from '../access/access'
import { entryOf } from '../audit/audit'
import type { Changes } from '../doorbells/changes'
import type { Doorbells } from '../doorbells/doorbells'
import type { BusStore } from '../ports/bus-store'
import type { Reads } from '../ports/stores'
import type { TreeRow } from '../ports/tree-store'
import { treeRow } from '../sessions/new-tree'
import { requireSession, requireSessionFor } from '../sessions/session-pages'
import type { Views } from '../views/views'
import { once } from '../writes/once'
import type { WriteAs } from '../writes/write-as'
import { markStopped } from './mark-stopped'
import type { TreeWatch } from './tree-watch'

export interface TreesDeps {
  bus: Pick<BusStore, 'appendIn'>
  changes: Changes
  doorbells: Doorbells
  now: () => number
  reads: Pick<Reads, 'commands' | 'machines' | 'requests' | 'sessions' | 'trees'>
  treeWatch: TreeWatch
  views: Views
  writeAs: WriteAs
}

export interface TreesApi {
  setSpawning(
    actor: Actor,
    sessionId: string,
    request: SpawningRequest,
    idempotencyKey: string,
  ): Promise<SessionSummary>
  /** Ends the root and everything below it, also what is being started. */
  stop(actor: Actor, sessionId: string, idempotencyKey: string): Promise<TreeStopped>
}

export function createTrees(deps: TreesDeps): TreesApi {
  return {
    setSpawning: (actor, sessionId, request, key) => setSpawning(deps, actor, sessionId, request, key),
    stop: (actor, sessionId, key) => stop(deps, actor, sessionId, key),
  }
}

async function setSpawning(deps: TreesDeps, actor: Actor, sessionId: string, request: SpawningRequest, key: string) {
  const session = await requireSessionFor(deps, actor, 'session.control', sessionId)
  if (request.on) requireCan(actor, 'session.create', session)
  const view = await deps.views.view(sessionId)
  if (view?.status.status === 'ended' && request.on) throw new CodedError('SESSION_ENDED')
  const { on, budgetUsd, budgetTokens } = request
  await once(deps, { actor, route: `session.spawning ${sessionId}`, key, body: request }, async (tx) => {
    if (await tx.trees.node(sessionId))
      throw new CodedError('TREE_LIMIT', 'This session is part of a tree. Its root decides for the whole tree.')
    const now = deps.now()
    const before = await tx.trees.tree(sessionId)
    if (before?.stoppedAt != null) throw new CodedError('TREE_STOPPED')
    if (on) await tx.trees.put(treeRow(sessionId, actor, { budgetUsd, budgetTokens }, now, before))
    else if (before) await tx.trees.put({ ...before, isOff: true })
    await tx.audit.append(entryOf(actor, 'session.spawning', sessionId, { ...request }), now)
    return { on }
  })
  deps.changes.session(sessionId)
  const rev = deps.views.nextRev()
  const [summary] = await deps.views.summaries(deps.reads, [await requireSession(deps, sessionId)], rev)
  if (!summary) throw new CodedError('SESSION_NOT_FOUND')
  return summary
}

async function stop(deps: TreesDeps, actor: Actor, sessionId: string, key: string): Promise<TreeStopped> {
  const session = await requireSessionFor(deps, actor, 'session.control', sessionId)
  const place = (await deps.reads.trees.places([sessionId])).get(sessionId)
  const rootId = place?.node?.rootId ?? sessionId
  // Whoever may end one child alone may not end the others for that.
  const root = rootId === sessionId ? session : await deps.reads.sessions.find(rootId)
  if (root) requireCan(actor, 'session.control', root)
  await once(deps, { actor, route: `session.stop_tree ${rootId}`, key, body: {} }, async (tx) => {
    const tree = (await tx.trees.tree(rootId)) ?? noSpawning(rootId, actor, deps.now())
    await markStopped(deps.bus, tx, { tree, root: root ?? null, why: 'person', now: deps.now() })
    await tx.audit.append(entryOf(actor, 'session.stop_tree', rootId), deps.now())
    return { rootId }
  })
  deps.doorbells.ring('bus', {})
  const ending = await deps.treeWatch.end(rootId)
  const mine = ending.filter(({ agentId }) => reaches(actor, agentId))
  return { rootId, sessionIds: mine.map((row) => row.sessionId) }
}

const noSpawning = (rootId: string, { userId, name }: Actor, at: number): TreeRow => ({
  rootId,
  personId: userId,
  personName: name,
  at,
  budgetUsd: null,
  budgetTokens: null,
  costUsd: 0,
  tokens: 0,
  isOff: true,
  stoppedAt: null,
  stoppedWhy: null,
})
