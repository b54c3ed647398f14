/** What must be true when the faults have stopped (I5, I11), read from the actors themselves. */
import { type CommandState, lastSeqOf, type StoredEvent } from '@roundhouse/backend-types'
import { emptyProjection } from '../index'
import type { HubDb, HubSession } from './hub/hub-db'
import { eventOf, isIntact } from './machine/bodies'
import type { Host } from './machine/host'
import type { Simulation } from './simulation'
import type { Viewer } from './viewer/viewer'
import { demand, uidOf } from './world/truth'

/** I11: virtual milliseconds until everything has converged. */
const settleMs = 180_000

const open: ReadonlySet<CommandState> = new Set(['pending', 'sent', 'accepted'])

export function settle(sim: Simulation): void {
  const { world } = sim
  const end = world.clock.now + settleMs
  let unsettled = whatIsUnsettled(sim)
  while (unsettled.length > 0 && world.clock.now < end) {
    world.run(world.clock.now + 1_000)
    unsettled = whatIsUnsettled(sim)
  }
  demand(unsettled.length === 0, 'I11', () => `still unsettled: ${unsettled.slice(0, 3).join('; ')}`)
}

function whatIsUnsettled(sim: Simulation): string[] {
  const { hub, machines, viewers } = sim
  const unsettled: string[] = hub.up ? [] : ['the hub is down']
  const db = hub.disk.durable
  for (const { daemon, hosts } of machines) {
    if (!daemon.isDrained()) unsettled.push(`${daemon.name} is not drained`)
    for (const host of hosts.values()) unsettled.push(...unsettledHost(sim, host))
  }
  for (const { commandId, state, command } of Object.values(db.commands)) {
    // A hub that was put back by hand, with not one event missing, cannot know that it forgot how a command ended.
    if (state === 'accepted' && hub.restores > 0 && sim.world.plan.restoredBy === 'hand') continue
    if (open.has(state)) unsettled.push(`${commandId} (${command.body.kind}) is ${state}`)
  }
  for (const [requestId, { register }] of Object.entries(db.requests)) {
    if (register.outcome === 'open') unsettled.push(`${requestId} is open`)
  }
  for (const viewer of viewers) unsettled.push(...unsettledViewer(viewer, db))
  return unsettled
}

function unsettledViewer({ name, sessionIds, pages }: Viewer, db: HubDb): string[] {
  return sessionIds.flatMap((sessionId) => {
    const { phase, page } = pages.get(sessionId)?.sync ?? {}
    if (page?.cursor.hubEpoch !== db.epoch) return [`${name} has no page of ${sessionId}`]
    if (phase !== 'watching') return [`${name} is ${phase} of ${sessionId}`]
    return page.cursor.last === db.sessions[sessionId]?.committed ? [] : [`${name} is behind in ${sessionId}`]
  })
}

function unsettledHost(sim: Simulation, host: Host): string[] {
  const { projection, ledger, queue, head } = host.disk.durable
  const committed = sim.hub.disk.durable.sessions[host.sessionId]?.committed
  if (!host.ready) return [`${host.name} is not ready`]
  if (host.disk.current.head !== head) return [`${host.name} is writing`]
  if (projection.turnId !== null || Object.keys(ledger).length > 0) return [`${host.name} is in a turn`]
  if (queue.entries.length > 0) return [`${host.name} has prompts${queue.held ? ', held' : ''}`]
  return committed === head ? [] : [`${host.name} is at ${head}, the hub at ${committed}`]
}

export function verify(sim: Simulation): void {
  const { hub, machines, viewers, world } = sim
  const db = hub.disk.durable
  for (const host of machines.flatMap(({ hosts }) => [...hosts.values()])) {
    const session = db.sessions[host.sessionId]
    demand(session !== undefined, 'I1', () => `${host.sessionId} is not at the hub`)
    verifyRows(sim, session, host)
    verifyTurns(session)
    verifyProjection(sim, session)
    for (const viewer of viewers) verifyPage(viewer.name, session, viewer.pages.get(host.sessionId)?.rendered ?? [])
  }
  for (const { commandId, state, command } of Object.values(db.commands)) {
    // A hub that was put back by hand may let a command expire before it learns that it had been sent.
    const unaware = hub.restores > 0 && world.plan.restoredBy === 'hand'
    const never = (state === 'expired' && !unaware) || state === 'cancelled' || state === 'refused'
    demand(
      !never || !world.truth.starts.has(commandId),
      'CMD-4',
      () => `${commandId} (${command.body.kind}) is ${state}, but ran`,
    )
  }
  verifyDone(sim)
  for (const [requestId, { register }] of Object.entries(db.requests)) {
    const { outcome } = register
    const ran = world.truth.applicationsOf(requestId) > 0
    if (outcome === 'applied') demand(ran, 'PERM-1', () => `${requestId} is shown as applied and was not`)
    if (outcome === 'expired' || outcome === 'withdrawn' || outcome === 'superseded') {
      demand(!ran, 'PERM-1', () => `${requestId} is shown as ${outcome} and was applied`)
    }
  }
}

/** CMD-2, REB-1: a prompt is done by what the hub holds of it, or since its machine answered a repeat so (REB-2). */
function verifyDone({ hub, world }: Simulation): void {
  const { sessions, commands } = hub.disk.durable
  const told = new Set<string>()
  for (const row of Object.values(sessions).flatMap(({ rows }) => rows)) {
    const event = eventOf(row)
    if ('commandId' in event && event.commandId !== undefined) told.add(event.commandId)
  }
  for (const { commandId, state, command } of Object.values(commands)) {
    if (command.body.kind !== 'prompt.send' || state !== 'done') continue
    const holds = told.has(commandId) || world.truth.answeredDone.has(commandId)
    demand(holds, 'REB-1', () => `${commandId} is done, and no event of it is here`)
  }
}

/** I1, I2: the hub's table is dense, agrees with all that the log still has, and holds every accepted event once. */
function verifyRows({ world }: Simulation, session: HubSession, host: Host): void {
  const { sessionId, rows } = session
  let next = 1
  const covered: Array<[number, number]> = []
  const bySeq = new Map<number, StoredEvent>()
  const uids = new Set<string>()
  for (const row of rows) {
    demand(row.seq === next, 'I2', () => `${sessionId}: ${row.seq} follows ${next - 1}`)
    next = lastSeqOf(row) + 1
    bySeq.set(row.seq, row)
    if (row.kind === 'gap') covered.push([row.seq, lastSeqOf(row)])
    const uid = uidOf(row)
    if (!uid) continue
    demand(isIntact(row), 'BAD-2', () => `${sessionId}: ${row.seq} is shown although its bytes changed`)
    demand(!uids.has(uid), 'I1', () => `${sessionId}: ${uid} is stored twice`)
    uids.add(uid)
  }
  for (const row of host.disk.durable.rows) {
    const inGap = covered.some(([from, to]) => from <= row.seq && row.seq <= to)
    demand(
      inGap || bySeq.get(row.seq)?.hash === row.hash,
      'I1',
      () => `${sessionId}: ${row.seq} differs between log and hub`,
    )
  }
  for (const { uid, state, sessionId: of } of world.truth.facts.values()) {
    if (of !== sessionId || uids.has(uid)) continue
    const damaged = world.truth.damagedHashes.get(uid)
    if (damaged !== undefined && rows.some(({ kind, hash }) => kind === 'tombstone' && hash === damaged)) continue
    demand(state !== 'accepted', 'I1', () => `${sessionId}: ${uid} was accepted and never arrived`)
    demand(state !== 'pruned' || covered.length > 0, 'I1', () => `${sessionId}: ${uid} is missing without a gap`)
  }
}

/** LOG-7. A gap may hide either end of a turn. */
function verifyTurns({ sessionId, rows }: HubSession): void {
  let open: string | null = null
  let gaps = 0
  for (const row of rows) {
    const event = eventOf(row)
    if (event.kind === 'gap') {
      open = null
      gaps += 1
    } else if (event.kind === 'turn_started') {
      demand(open === null, 'LOG-7', () => `${sessionId}: ${event.turnId} begins inside ${open}`)
      open = event.turnId
    } else if (event.kind === 'turn_completed') {
      demand(
        open === event.turnId || (open === null && gaps > 0),
        'LOG-7',
        () => `${sessionId}: ${event.turnId} ends twice`,
      )
      open = null
    }
  }
  demand(open === null, 'LOG-7', () => `${sessionId}: ${open} never ends`)
}

/** The row is what its events say, and people see the session at rest (LINK-5). */
function verifyProjection({ world, hub }: Simulation, session: HubSession): void {
  let projection = emptyProjection()
  for (const row of session.rows.filter(({ kind }) => kind !== 'tombstone'))
    projection = world.kernel.projectEvent(projection, eventOf(row), row.seq, row.at).projection
  demand(
    JSON.stringify(projection) === JSON.stringify(session.projection),
    'LINK-5',
    () => `${session.sessionId}: the row is not its events`,
  )
  const { status } = world.kernel.viewStatus(session.projection, hub.agents.states.get(session.sessionId) ?? null)
  demand(status === 'idle' || status === 'resumable', 'LINK-5', () => `${session.sessionId} is shown as ${status}`)
}

/** I5: what a viewer shows is what the hub has, from where its first snapshot began. */
function verifyPage(viewer: string, session: HubSession, rendered: readonly StoredEvent[]): void {
  const first = rendered[0]?.seq ?? session.committed + 1
  const expected = session.rows.filter((row) => row.seq >= first)
  const same = expected.length === rendered.length && expected.every((row, index) => rendered[index]?.hash === row.hash)
  demand(
    same && (rendered.length > 0 || session.rows.length === 0),
    'I5',
    () => `${viewer} shows another ${session.sessionId} than the hub has`,
  )
}
