/** Wakes whoever follows a run: something was stored of it, changed in its view, or ended, or somebody's rights did. */
import type { Doorbells } from '../doorbells/doorbells'

export interface RunBell {
  /** Resolves at the next ring, at once if one came since the last time; with false after this time without one. */
  next(atMostMs: number): Promise<boolean>
  close(): void
}

interface Listener {
  userId: string
  ring: () => void
}

export class RunBells {
  readonly #listeners = new Map<string, Set<Listener>>()

  constructor(doorbells: Pick<Doorbells, 'on'>) {
    const ring = ({ sessionId }: { sessionId: string }) => {
      for (const { ring } of this.#listeners.get(sessionId) ?? []) ring()
    }
    doorbells.on('events', ring)
    doorbells.on('session', ring)
    doorbells.on('sessionRemoved', ring)
    doorbells.on('person', ({ userId }) => {
      for (const of of this.#listeners.values()) for (const one of of) if (one.userId === userId) one.ring()
    })
  }

  listen(sessionId: string, userId: string): RunBell {
    let isRung = false
    let wake = () => {}
    const listener: Listener = {
      userId,
      ring: () => {
        isRung = true
        wake()
      },
    }
    const of = this.#listeners.get(sessionId) ?? new Set()
    this.#listeners.set(sessionId, of.add(listener))
    return {
      next: (atMostMs) =>
        new Promise((resolve) => {
          wake = () => {
            clearTimeout(timer)
            wake = () => {}
            resolve(isRung)
            isRung = false
          }
          const timer = setTimeout(() => wake(), atMostMs)
          if (isRung) wake()
        }),
      close: () => {
        of.delete(listener)
        if (of.size === 0 && this.#listeners.get(sessionId) === of) this.#listeners.delete(sessionId)
        listener.ring()
      },
    }
  }
}
