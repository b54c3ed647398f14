/**
 * What is said to managed sessions is a command of each (BUS-10). A command is recorded before its message: a repeat under the same id is
 * the same command. A message whose command cannot be recorded is refused.
 */
import { type BusData, CodedError, toCodedError } from '@roundhouse/backend-types'
import { readTopic } from '@roundhouse/bus'
import type { Actor } from '../access/access'
import { sha256 } from '../common/digests'
import type { NewBusRow, PeerRow } from '../ports/bus-store'
import type { Reads } from '../ports/stores'
import type { BusPace } from './bus-pace'
import { maySeePeer, type Viewer } from './bus-sight'
import { type Judged, tooFast } from './judge-batch'
import type { PeerBook } from './peer-book'
import { commandEach, MOST_BY_ROLE, nameOfCommand, sessionsOfRole } from './role-commands'

export interface SessionCommand {
  sessionId: string
  name: string
  data: BusData
  correlationId: string | null
  key: string
}

export interface CommandingDeps {
  book: PeerBook
  reads: Pick<Reads, 'sessions'>
  /** Throws where it cannot be a command. */
  commandSession: (actor: Actor, command: SessionCommand) => Promise<unknown>
  pace: BusPace
  elapsed: () => number
}

interface By {
  actor: Actor
  viewer: Viewer
}

/** The rows that were taken, and of each that is for a role how many sessions it commands. The others are refused in the results. */
export async function commandSessions(
  judged: Judged,
  by: By,
  deps: CommandingDeps,
): Promise<{ rows: NewBusRow[]; commands: (number | undefined)[] }> {
  const places = judged.results.flatMap((result, i) => (result ? [] : [i]))
  const rows: NewBusRow[] = []
  const commands: (number | undefined)[] = []
  for (const [i, row] of judged.rows.entries()) {
    try {
      commands.push(await commandsOf(row, by, deps))
      rows.push(row)
    } catch (thrown) {
      judged.results[places[i] ?? 0] = { ok: false, error: toCodedError(thrown).toBody() }
    }
  }
  return { rows, commands }
}

async function commandsOf(row: NewBusRow, { actor, viewer }: By, deps: CommandingDeps): Promise<number | undefined> {
  const to = readTopic(row.topic)
  const { data, correlationId } = row
  if (to?.space === 'cmd' && row.sessionId === to.peerId) {
    const key = keyOf(row)
    await deps.commandSession(actor, { sessionId: to.peerId, name: to.name, data, correlationId, key })
  }
  if (to?.space !== 'role') return undefined
  const name = nameOfCommand(row.schema)
  if (name === null) return 0
  const ids = await sessionsOfRole(to.role, {
    peers: deps.book.all(),
    maySee: (peer: PeerRow) => maySeePeer(viewer, peer),
    roleIdOf: async (id) => (await deps.reads.sessions.find(id))?.settings.roleId ?? null,
  })
  requireRoom(ids.length, viewer.peerId, deps)
  return commandEach(ids, (sessionId) =>
    deps.commandSession(actor, { sessionId, name, data, correlationId, key: keyOf(row, sessionId) }),
  )
}

/** Each session counts as a message of its own, so nobody commands more by a role than one by one. */
function requireRoom(sessions: number, peerId: string, { pace, elapsed }: CommandingDeps): void {
  if (sessions > MOST_BY_ROLE) {
    const text = `${sessions} sessions have this role. One message commands at most ${MOST_BY_ROLE}: name them, or give them roles of notes.`
    throw new CodedError('TOO_MANY_SESSIONS', text, { sessions, limit: MOST_BY_ROLE })
  }
  const exceeded = sessions > 1 ? pace.takeMore(peerId, sessions - 1, elapsed()) : null
  if (exceeded) throw tooFast(exceeded)
}

/** The same for the same message; `of`: for each session that one message is for. */
const keyOf = ({ fromPeer, messageId }: NewBusRow, ...of: string[]): string =>
  `bus_${sha256([fromPeer, messageId, ...of].join(' ')).slice(0, 40)}`
