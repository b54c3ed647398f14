/** Where the sessions of one change are in the tables: found once, when they are loaded or inserted. */
import { CodedError } from '@roundhouse/backend-types'
import type { Statement } from 'better-sqlite3'
import type { Connection } from '../file/connections'

export interface SessionPlace {
  pk: number
  /** As it was when the change began. */
  committed: number
}

export class SessionPlaces {
  readonly #known = new Map<string, SessionPlace>()

  constructor(private readonly statement: Statement<[string], SessionPlace>) {}

  get(sessionId: string): SessionPlace | undefined {
    const place = this.#known.get(sessionId) ?? this.statement.get(sessionId)
    if (place) this.#known.set(sessionId, place)
    return place
  }

  set(sessionId: string, { pk, committed }: SessionPlace): void {
    this.#known.set(sessionId, { pk, committed })
  }

  /** Throws where there is no such session. */
  pkOf(sessionId: string): number {
    const place = this.get(sessionId)
    if (!place) throw new CodedError('INTERNAL', undefined, undefined, new Error(`no session ${sessionId}`))
    return place.pk
  }
}

export const placeStatement = (db: Connection): Statement<[string], SessionPlace> =>
  db.prepare('SELECT pk, committed FROM Session WHERE sessionId = ?')
