/**
 * In-process doorbells: what changed, for whoever shows it. A lost doorbell costs time, never data; payloads ride along
 * only where the reader is in the same process.
 */
import type { LiveFrame, StoredEvent } from '@roundhouse/backend-types'
import type { StorageHealth } from '../ports/storage-port'

export interface DoorbellMap {
  /** One committed batch of one session, in order. */
  events: { sessionId: string; events: StoredEvent[]; head: number }
  live: { sessionId: string; frames: LiveFrame[] }
  /** Something in the session's view changed; the listener composes it when it needs it. */
  session: { sessionId: string }
  /** One step of the inbox (VIEW-7). No sessions: too many to name. */
  inbox: { rev: number; sessionIds: string[] }
  agent: { agentId: string }
  storage: StorageHealth
  /** Cursors of the old epoch are void (REB-2). */
  hubEpoch: { hubEpoch: string }
  sessionRemoved: { sessionId: string }
  /** Other rights, or none: what live sockets know of this person is old (T77). */
  person: { userId: string }
  loginEnded: { loginId: string }
}

export type DoorbellName = keyof DoorbellMap
/** What takes its time is not waited for; where it fails, that is told. */
type Listener<K extends DoorbellName> = (payload: DoorbellMap[K]) => unknown

export interface Doorbells {
  on<K extends DoorbellName>(name: K, listener: Listener<K>): () => void
  ring<K extends DoorbellName>(name: K, payload: DoorbellMap[K]): void
  /** What a listener does later, beside any bell, and could not do. */
  failed(error: unknown): void
}

export function createDoorbells(onListenerError: (error: unknown) => void): Doorbells {
  const listeners = new Map<DoorbellName, Set<Listener<never>>>()
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set)
      set.add(listener as Listener<never>)
      return () => set.delete(listener as Listener<never>)
    },
    ring(name, payload) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          const heard = (listener as Listener<typeof name>)(payload)
          if (heard instanceof Promise) heard.catch(onListenerError)
        } catch (error) {
          onListenerError(error) // one bad listener must not stop the others, or undo a commit
        }
      }
    },
    failed: onListenerError,
  }
}
