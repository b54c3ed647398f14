/**
 * The event stream in SQLite: what a decision needs is loaded, it decides, and its change is written, all of it one job of a
 * group commit (STORE-2). A later job of the group sees what an earlier one wrote.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { Operation, OperationOf } from '../../../core/ports/stream/stream-change'
import { type Loaded, type LoadKeys, type StreamWriter, standingKey } from '../../../core/ports/stream/stream-writer'
import type { Connection } from '../file/connections'
import type { GroupCommit } from '../file/group-commit'
import { createStandingRead } from '../reads/standing-reads'
import { createAuditStream } from './audit-stream'
import { createCommandStream } from './command-stream'
import { createEventStream } from './event-stream'
import { found, lookEach } from './look-up'
import { createMachineStream } from './machine-stream'
import { createRequestStream } from './request-stream'
import { placeStatement, SessionPlaces } from './session-places'
import { createSessionStream } from './session-stream'

/** What a decision turns out to need may show once more that something is missing. */
const MOST_LOADS = 4

export function createStreamWriter(db: Connection, commits: GroupCommit): StreamWriter {
  const nouns = createNouns(db)
  const place = placeStatement(db)
  const load = createLoad(db, nouns)
  const apply = createApply(nouns)
  return {
    change: (keys, decide, weight = 1) =>
      commits.run(weight, () => {
        const places = new SessionPlaces(place)
        let loaded = load(keys, places)
        for (let loads = 1; loads <= MOST_LOADS; loads += 1) {
          const decision = decide(loaded)
          if ('change' in decision) {
            for (const operation of decision.change) apply(operation, places)
            return decision.answer
          }
          loaded = joined(loaded, load(decision.more, places))
        }
        throw new CodedError('INTERNAL', undefined, undefined, new Error('a decision needs more and more'))
      }),
  }
}

const createNouns = (db: Connection) => ({
  sessions: createSessionStream(db),
  events: createEventStream(db),
  commands: createCommandStream(db),
  requests: createRequestStream(db),
  machines: createMachineStream(db),
  audit: createAuditStream(db),
})

type Nouns = ReturnType<typeof createNouns>

function createLoad(db: Connection, { sessions, events, commands, requests, machines, audit }: Nouns) {
  const standing = createStandingRead(db)
  return (keys: LoadKeys, places: SessionPlaces): Loaded => ({
    fences: machines.fences(keys.fences),
    machines: machines.rows(keys.machines),
    sessions: sessions.load(keys.sessions, places),
    hashes: events.load(keys.hashes, places),
    commands: commands.marks(keys.commands),
    given: commands.given(keys.given),
    promptEdits: commands.edits(keys.promptEdits),
    unsettled: commands.unsettled(keys.unsettled),
    requests: requests.load(keys.requests),
    openRequests: requests.open(keys.openRequests, places),
    headsGiven: keys.headsGiven ? audit.headsGiven() : null,
    standings: lookEach(keys.standings, (of) => [standingKey(of), found(db, () => standing(of))]),
  })
}

/** What was loaded first stays. */
function joined(first: Loaded, more: Loaded): Loaded {
  const join = <T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>) => new Map([...b, ...a])
  return {
    fences: join(first.fences, more.fences),
    machines: join(first.machines, more.machines),
    sessions: join(first.sessions, more.sessions),
    hashes: join(first.hashes, more.hashes),
    commands: join(first.commands, more.commands),
    given: join(first.given, more.given),
    promptEdits: join(first.promptEdits, more.promptEdits),
    unsettled: join(first.unsettled, more.unsettled),
    requests: join(first.requests, more.requests),
    openRequests: join(first.openRequests, more.openRequests),
    headsGiven: first.headsGiven ?? more.headsGiven,
    standings: join(first.standings, more.standings),
  }
}

type Handlers = { [K in Operation['op']]: (operation: OperationOf<K>, places: SessionPlaces) => unknown }

function createApply({ sessions, events, commands, requests, machines, audit }: Nouns) {
  const handlers: Handlers = {
    'session.insert': sessions.insert,
    'session.update': sessions.update,
    'events.append': events.append,
    'command.setState': commands.setState,
    'command.move': commands.move,
    'command.prove': commands.prove,
    'commands.refuseWaitingPrompts': commands.refuseWaitingPrompts,
    'request.insert': requests.insert,
    'request.reopen': requests.reopen,
    'request.emptyDecision': requests.emptyDecision,
    'request.close': requests.close,
    'requests.closeAllOpen': requests.closeAllOpen,
    'machine.update': machines.update,
    'audit.append': audit.append,
    'audit.keepReturnedHead': audit.keepReturnedHead,
  }
  return (operation: Operation, places: SessionPlaces) => handlers[operation.op](operation as never, places)
}
