/**
 * The working set of one decision about the event stream: look-ups in what was loaded, which include the changes of the
 * same decision, and the changes themselves, recorded as plain operations in order. Pure.
 */
import type { Change, Operation } from '../ports/stream/stream-change'
import type { Decided, Loaded, LoadKeys, More } from '../ports/stream/stream-writer'
import { WorkingCommands } from './working-commands'
import { WorkingHub } from './working-hub'
import { WorkingMachines } from './working-machines'
import { WorkingRequests } from './working-requests'
import { WorkingEvents, WorkingSessions } from './working-sessions'

export class WorkingSet {
  readonly #operations: Operation[] = []
  readonly sessions: WorkingSessions
  readonly events: WorkingEvents
  readonly commands: WorkingCommands
  readonly requests: WorkingRequests
  readonly machines: WorkingMachines
  readonly hub: WorkingHub

  constructor(loaded: Partial<Loaded>) {
    const record = (operation: Operation) => void this.#operations.push(operation)
    this.sessions = new WorkingSessions(loaded, record)
    this.events = new WorkingEvents(loaded, record)
    this.commands = new WorkingCommands(loaded, record)
    this.requests = new WorkingRequests(loaded, record)
    this.machines = new WorkingMachines(loaded, record)
    this.hub = new WorkingHub(loaded, record)
  }

  get change(): Change {
    return this.#operations
  }
}

/** Turns a decision on a working set into an argument for `StreamWriter.change`. */
export function deciding<A>(decide: (set: WorkingSet) => A): (loaded: Loaded) => Decided<Exclude<A, More>> | More {
  return (loaded) => {
    const set = new WorkingSet(loaded)
    const answer = decide(set)
    return isMore(answer) ? answer : { change: set.change, answer: answer as Exclude<A, More> }
  }
}

export const isMore = (answer: unknown): answer is More =>
  typeof answer === 'object' && answer !== null && 'more' in answer

/** Merges the keys of several decisions, or of one decision and what it needs in addition. */
export function joinKeys(all: readonly LoadKeys[]): LoadKeys {
  const joined: Record<string, unknown> = {}
  for (const [name, keys] of all.flatMap((one) => Object.entries(one))) {
    joined[name] = Array.isArray(keys) ? [...((joined[name] as unknown[]) ?? []), ...keys] : joined[name] || keys
  }
  return joined
}
