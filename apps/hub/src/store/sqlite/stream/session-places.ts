/** Where the sessions of one change are in the tables: found once, when they are loaded or inserted. */
import { CodedError } from '@roundhouse/backend-types'
import type { Connection } from '../file/connections'

export interface SessionPlace {
  pk: number
  /** As it was when the change began. */
  committed: number
}

export interface SessionPlaces {
  get(sessionId: string): SessionPlace | undefined
  set(sessionId: string, place: SessionPlace): void
  /** Throws where there is no such session. */
  pkOf(sessionId: string): number
}

export function createSessionPlaces(db: Connection): () => SessionPlaces {
  const find = db.prepare<[string], SessionPlace>('SELECT pk, committed FROM Session WHERE sessionId = ?')
  return () => {
    const known = new Map<string, SessionPlace>()
    const get = (sessionId: string) => {
      const place = known.get(sessionId) ?? find.get(sessionId)
      if (place) known.set(sessionId, place)
      return place
    }
    return {
      get,
      set: (sessionId, { pk, committed }) => void known.set(sessionId, { pk, committed }),
      pkOf: (sessionId) => {
        const place = get(sessionId)
        if (!place) throw new CodedError('INTERNAL', undefined, undefined, new Error(`no session ${sessionId}`))
        return place.pk
      },
    }
  }
}
