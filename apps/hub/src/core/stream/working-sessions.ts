/** Rows of sessions and hashes of their events, in one decision. */
import { CodedError } from '@roundhouse/backend-types'
import type { NewSession, StreamChange } from '../ports/session-store'
import type { AppendedEvent, Operation } from '../ports/stream/stream-change'
import type { Loaded } from '../ports/stream/stream-writer'
import { notLoaded, rowOf } from './found'

export class WorkingSessions {
  readonly #inserted = new Map<string, NewSession>()
  readonly #changes = new Map<string, StreamChange>()

  constructor(
    private readonly loaded: Partial<Loaded>,
    private readonly record: (operation: Operation) => void,
  ) {}

  find(sessionId: string): NewSession | undefined {
    const row = this.#inserted.get(sessionId) ?? rowOf(this.loaded.sessions?.get(sessionId), `session ${sessionId}`)
    const change = this.#changes.get(sessionId)
    return row && change ? { ...row, ...change } : row
  }

  isDeleted(sessionId: string): boolean {
    return this.find(sessionId) === undefined && this.loaded.sessions?.get(sessionId)?.isDeleted === true
  }

  /** How many sessions the machine has created itself. */
  madeBefore(sessionId: string): number {
    const count = this.loaded.sessions?.get(sessionId)?.madeBefore
    if (count === undefined) throw notLoaded(`the number of sessions besides ${sessionId}`)
    return count
  }

  insert(row: NewSession): void {
    if (this.find(row.sessionId)) throw new CodedError('INTERNAL', `There is a session ${row.sessionId} already.`)
    this.#inserted.set(row.sessionId, row)
    this.record({ op: 'session.insert', row })
  }

  update(sessionId: string, change: StreamChange): void {
    this.#changes.set(sessionId, change)
    this.record({ op: 'session.update', sessionId, change })
  }
}

export class WorkingEvents {
  constructor(
    private readonly loaded: Partial<Loaded>,
    private readonly record: (operation: Operation) => void,
  ) {}

  /** The hash of a stored event. */
  hashAt(sessionId: string, seq: number): string | undefined {
    return rowOf(this.loaded.hashes?.get(sessionId)?.get(seq), `hash ${seq} of ${sessionId}`)
  }

  append(sessionId: string, events: readonly AppendedEvent[]): void {
    this.record({ op: 'events.append', sessionId, events })
  }
}
