/** Compares the records of one session from outside: script, agent's log, hub's table, REST pages, and a viewer that stayed. */

import type { SessionEvent } from '@roundhouse/backend-types'
import { blocksOf, eventsOf, logOf, progressOf, readAll, truthOf } from '../accounts/ledger'
import type { Viewer } from '../accounts/viewer'
import { until } from '../common/until'
import type { Machine, Place } from './place'

/** Resolves when nothing runs on the machine and the hub has all of its log. */
export async function settled(place: Place, machine: Machine, sessionId: string, timeoutMs = 45_000): Promise<void> {
  let seen: unknown
  const look = async () => {
    const log = progressOf(machine.agent.sessionFolder(sessionId))
    const { session, head } = await place.rest.snapshot(sessionId, 1)
    const { status, agentOnline, turnId, commands } = session
    const open = commands.filter(({ state }) => ['pending', 'sent', 'accepted'].includes(state))
    seen = { log, head, status, agentOnline, turnId, open }
    return log.begun && !log.inTurn && head === log.head && turnId === undefined && open.length === 0
  }
  await until('agent and hub to hold the same, with nothing going on', look, timeoutMs).catch((error: Error) => {
    throw new Error(`${sessionId}: ${error.message}: ${JSON.stringify(seen)}`, { cause: error.cause })
  })
}

/**
 * What is wrong with the session, in words. Empty if everything that was printed is at the agent, at the hub, on the
 * REST pages and with the viewer exactly once and in one order, or a gap reports the loss. A host that was killed with
 * unwritten output reports it by `output_lost`.
 */
export async function faultsOf(place: Place, machine: Machine, sessionId: string, viewer?: Viewer): Promise<string[]> {
  const log = logOf(machine.agent.sessionFolder(sessionId))
  const table = place.rows(sessionId)
  const pages = (await readAll(place.rest, sessionId)).map(({ seq, hash, body }) => ({ seq, hash, body }))
  const events = eventsOf(table)
  const wrote = truthOf(machine.truth, events)
  const blocks = blocksOf(events)
  const gaps = events.filter(tellsOfLoss).length
  const missing = wrote.filter((block) => !blocks.includes(block))
  const doubled = blocks.filter((block, at) => blocks.indexOf(block) !== at)
  const kept = blocks.filter((block) => wrote.includes(block))
  const told = wrote.filter((block) => blocks.includes(block))
  const turns = (kind: string) => events.filter((event) => event.kind === kind).length
  const faults = [
    differ("the hub's table and the log", table, log),
    differ('the REST pages and the table', pages, table),
    ...(gaps === 0 && missing.length > 0
      ? [`printed and nowhere, without a gap: ${missing.length} of ${wrote.length}, the first is "${missing[0]}"`]
      : []),
    ...(doubled.length > 0 ? [`twice: ${doubled.length}, the first is "${doubled[0]}"`] : []),
    differ('the order of the script', kept, told),
    ...(gaps === 0 && turns('turn_started') !== turns('turn_completed')
      ? [`${turns('turn_started')} turns began, ${turns('turn_completed')} ended`]
      : []),
  ]
  if (viewer) {
    await viewer.reaches(table.at(-1)?.seq ?? 0, 20_000)
    const line = (seq: number, event: { kind: string; text?: unknown } | null) => `${seq} ${event?.kind} ${event?.text}`
    const shown = viewer.shown().map(({ seq, event }) => line(seq, event))
    const all = table.map(({ seq, body }) => line(seq, JSON.parse(body)))
    faults.push(differ('what the viewer shows and the table', shown, all.slice(all.length - shown.length)))
    const given = table.filter(({ seq }) => seq >= viewer.begins())
    if (viewer.setbacks().resets === 0) faults.push(differ('how much the viewer shows', [shown.length], [given.length]))
  }
  return faults.filter((fault) => fault !== '')
}

const tellsOfLoss = (event: SessionEvent): boolean =>
  event.kind === 'gap' || (event.kind === 'system' && event.subtype === 'output_lost')

function differ(what: string, found: readonly unknown[], wanted: readonly unknown[]): string {
  const at = wanted.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(found[index]))
  if (at < 0 && found.length === wanted.length) return ''
  const first = at < 0 ? wanted.length : at
  const short = (one: unknown) => (JSON.stringify(one) ?? 'nothing').slice(0, 200)
  return `${what}: ${found.length} instead of ${wanted.length}, at ${first} ${short(found[first])} instead of ${short(wanted[first])}`
}
