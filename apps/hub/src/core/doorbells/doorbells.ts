/**
 * In-process doorbells: what changed, for the parts that show it. A lost doorbell costs time, never data. Payloads are
 * included only because the reader is in the same process.
 */
import type { ChannelKind, LiveFrame, StoredEvent } from '@roundhouse/backend-types'
import type { StorageHealth } from '../ports/storage-port'

/** Whoever reaches the machine, and the person. */
export interface Audience {
  agentId: string | null
  userId: string | null
}

export interface DoorbellMap {
  /** One committed batch of one session, in order. */
  events: { sessionId: string; events: StoredEvent[]; head: number }
  live: { sessionId: string; frames: LiveFrame[] }
  /** Something in the session's view changed. The listener composes the view when it needs it. */
  session: { sessionId: string }
  /** One step of the inbox (VIEW-7), for whoever sees one of these sessions or peers. Null: too many sessions to name. */
  inbox: { rev: number; sessionIds: string[] | null; of: Audience[] }
  agent: { agentId: string }
  storage: StorageHealth
  /** The bus has messages that it had not. */
  bus: Record<never, never>
  /** Peers came, went, moved on or wait for an answer; for whoever reaches one of these. */
  peers: { of: readonly Audience[] }
  /** Cursors of the old epoch are void (REB-2). */
  hubEpoch: { hubEpoch: string }
  sessionRemoved: { sessionId: string }
  /** The person's rights changed or ended, so live sockets have outdated rights (T77). */
  person: { userId: string }
  loginEnded: { loginId: string }
  /** Its bot or one of its links changed. */
  channel: { kind: ChannelKind }
}

export type DoorbellName = keyof DoorbellMap
/** Nobody waits for asynchronous work of a listener; its errors are reported. */
type Listener<K extends DoorbellName> = (payload: DoorbellMap[K]) => unknown

export interface Doorbells {
  on<K extends DoorbellName>(name: K, listener: Listener<K>): () => void
  ring<K extends DoorbellName>(name: K, payload: DoorbellMap[K]): void
  /** Reports an error of work that a listener does later. */
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
