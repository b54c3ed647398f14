/** A host's account of its session (LINK-5). It is kept in memory, except for the requests that it lists. */
import { CodedError, type HostState, type PermissionAsk } from '@roundhouse/backend-types'
import { isTooDeepValue } from '../common/depth'
import { timeToShow } from '../common/time-to-show'
import { lacksTheWhole } from '../ingest/ingest-effects'
import type { Reads } from '../ports/stores'
import type { Followed } from '../views/session-memory'
import { type LinkCurrentDeps, requireCurrent } from './link-current'
import type { LinkFacts } from './link-facts'
import { type ListedRequestsDeps, storeListed } from './listed-requests'
import { type LostDecisionsDeps, recallLost } from './lost-decisions'
import { type MisdeedsDeps, tellMisdeed } from './misdeeds'
import { letRest, type SessionRestDeps } from './session-rest'

export interface LinkStateDeps
  extends Pick<LinkCurrentDeps, 'presence' | 'reads'>,
    ListedRequestsDeps,
    LostDecisionsDeps,
    MisdeedsDeps,
    SessionRestDeps {
  reads: Pick<Reads, 'machines' | 'requests' | 'sessions'>
}

/** LINK-5: level-triggered, outside the credits. A listed request that is not open here is stored before it is shown. */
export async function takeState(deps: LinkStateDeps, facts: LinkFacts, state: HostState): Promise<void> {
  await requireCurrent(deps, facts)
  if (isTooDeepValue(state.requests)) throw new CodedError('MALFORMED_FRAME', 'requests: nested too deeply')
  await deps.memory.following(state.sessionId, (followed) => takeFollowed(deps, facts, state, followed))
}

async function takeFollowed(
  deps: LinkStateDeps,
  facts: LinkFacts,
  state: HostState,
  followed: Followed,
): Promise<void> {
  const { reads, memory, changes } = deps
  const { sessionId } = state
  const row = await reads.sessions.find(sessionId)
  if (row?.damaged) return
  if (row?.agentId !== facts.agentId) {
    if (row) tellMisdeed(deps, facts, 'SESSION_NOT_YOURS', { sessionId })
    return
  }
  const stored = () => followed.latest ?? row.projection
  const before = gist(memory.state(sessionId))
  const merged = memory.takeState(stored(), byHubClock(state, facts, deps.now()), facts)
  const stores = merged === null || !(await areStored(deps, merged.requests))
  if (stores) await storeListed(deps, facts, sessionId)
  letRest(deps, facts, sessionId, stored())
  const after = gist(memory.state(sessionId))
  changes.session(sessionId, stores || after !== before ? 'now' : 'later')
  const listed = (merged?.requests ?? []).map(({ requestId }) => requestId)
  recallLost(deps, facts, listed, isSameAccount(merged, state))
}

async function areStored({ reads }: LinkStateDeps, asks: readonly PermissionAsk[]): Promise<boolean> {
  const rows = await reads.requests.findMany(asks.map(({ requestId }) => requestId))
  const found = new Map(rows.map((row) => [row.requestId, row]))
  return asks.every((ask) => {
    const row = found.get(ask.requestId)
    return row?.outcome === 'open' && !lacksTheWhole(row, ask)
  })
}

/** LOG-10: converts the start of tasks to the hub's clock. */
function byHubClock(state: HostState, { clockOffsetMs }: LinkFacts, now: number): HostState {
  if (!state.background) return state
  const startedAt = (at: number) => timeToShow(at - clockOffsetMs, 0, now)
  return { ...state, background: state.background.map((task) => ({ ...task, startedAt: startedAt(task.startedAt) })) }
}

/** A repeated account counts too: a machine repeats it once it knows that the hub has its refusal of a decision. */
const isSameAccount = (kept: HostState | null, told: HostState): boolean =>
  kept?.leaseToken === told.leaseToken && kept.rev === told.rev

/** The parts that people notice: neither the counters nor the blocks, which come as live text. */
function gist(state: HostState | null): string {
  if (!state) return ''
  const { status, turnId, queue, queueHeld, requests, background } = state
  return JSON.stringify([status, turnId, queue, queueHeld, requests.map((ask) => ask.requestId), background])
}
