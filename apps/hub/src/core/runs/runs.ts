/** Runs, as people and their programs start and read them (RUN-1). */
import {
  CodedError,
  type CommandMade,
  type RunEvent,
  type RunRequest,
  type RunsList,
  type RunsQuery,
  type RunView,
} from '@roundhouse/backend-types'
import { readRunCursor } from '@roundhouse/runtime/run'
import { type Actor, requireCan } from '../access/access'
import { requireStill } from '../access/standing'
import { entryOf } from '../audit/audit'
import { addCommand } from '../commands/command-maker'
import { STOP_LIFE_MS } from '../commands/stop-session'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import { listSessions } from '../sessions/session-list'
import { requireSessionFor } from '../sessions/session-pages'
import type { Views } from '../views/views'
import { once } from '../writes/once'
import { type CreateRunDeps, createRun } from './create-run'
import { followRun } from './follow-run'
import type { RunBells } from './run-bells'
import type { RunLogs } from './run-logs'
import { resultOf, runSummary } from './run-view'

export interface RunsDeps extends CreateRunDeps {
  reads: Reads
  runBells: RunBells
  runResults: RunLogs
  views: Views
}

export interface RunsApi {
  /** The id of the run, which is that of its session. */
  create(actor: Actor, request: RunRequest, idempotencyKey: string): Promise<string>
  list(actor: Actor, query: RunsQuery): Promise<RunsList>
  get(actor: Actor, runId: string): Promise<RunView>
  /** Refuses at once what may not be followed; then lots of events, until the run is over. `after` is a cursor. */
  follow(actor: Actor, runId: string, after?: string): Promise<AsyncGenerator<RunEvent[]>>
  stop(actor: Actor, runId: string, idempotencyKey: string): Promise<CommandMade>
}

export function createRuns(deps: RunsDeps): RunsApi {
  return {
    create: (actor, request, key) => createRun(deps, actor, request, key),
    list: async (actor, query) => {
      const { items, next } = await listSessions(deps, actor, { ...query, runs: 'true' })
      return { items: items.flatMap((item) => runSummary(item) ?? []), next }
    },
    get: (actor, runId) => get(deps, actor, runId),
    follow: async (actor, runId, after) => {
      const place = after === undefined ? null : readRunCursor(after)
      await requireRun(deps, actor, runId)
      const { reads, views, runBells, now } = deps
      const listen = () => runBells.listen(runId, actor.userId)
      const check = async () => {
        requireStill(actor, await reads.people.standing(actor.credential), now())
        await requireRun(deps, actor, runId)
      }
      return followRun({ reads, views, listen, check }, runId, place)
    },
    stop: (actor, runId, key) => stop(deps, actor, runId, key),
  }
}

/** A session that is no run is none here, as is one that there is not. */
async function requireRun(
  { reads }: Pick<RunsDeps, 'reads'>,
  actor: Actor,
  runId: string,
  action: 'session.read' | 'session.control' = 'session.read',
): Promise<SessionRow> {
  const row = await requireSessionFor({ reads }, actor, action, runId)
  if (row.onPermission === null) throw new CodedError('SESSION_NOT_FOUND', 'Run not found.')
  return row
}

async function get(deps: RunsDeps, actor: Actor, runId: string): Promise<RunView> {
  const { reads, views, runResults } = deps
  const row = await requireRun(deps, actor, runId)
  const [session] = await views.summaries(reads, [row], views.nextRev())
  const run = session && runSummary(session)
  if (!run) throw new CodedError('SESSION_NOT_FOUND', 'Run not found.')
  // Read behind the view: an end that the view shows is in the log, if it is in a log at all.
  const log = await runResults.read(runId)
  const result = resultOf(log, run.status, new Set(await reads.commands.refusedRequests(runId)))
  return { ...run, ...(result ? { result } : {}) }
}

/** Unlike that of a session, it waits for a machine that is away: nobody looks whether it came to something. */
async function stop(deps: RunsDeps, actor: Actor, runId: string, key: string): Promise<CommandMade> {
  const { agentId } = await requireRun(deps, actor, runId, 'session.control')
  const made = await once(deps, { actor, route: `run.stop ${runId}`, key, body: {} }, async (tx) => {
    const view = await deps.views.view(runId)
    if (!view) throw new CodedError('SESSION_DELETED')
    requireCan(actor, 'session.control', view)
    if (view.status.status === 'ended') throw new CodedError('SESSION_ENDED', 'The run is over.')
    const at = deps.now()
    const body = { kind: 'session.stop' } as const
    const command = { sessionId: runId, agentId, actor, body, now: at, expiresAt: at + STOP_LIFE_MS }
    const { commandId, state } = await addCommand(tx, command)
    await tx.audit.append(entryOf(actor, 'session.stop', runId, { commandId }), at)
    return { commandId, sessionId: runId, state }
  })
  deps.changes.session(runId)
  deps.pump.kick(agentId, runId)
  return made
}
