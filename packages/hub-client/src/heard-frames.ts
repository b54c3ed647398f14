/**
 * What the hub says on the `/viewer` socket: each frame is checked once, by its row of the table, and then given to whoever listens.
 * One that does not fit is dropped: the log is the truth, and what it would have told is read over REST.
 */
import { type FrameOf, type HubToViewer, hubToViewer } from '@roundhouse/backend-types'

type Name = keyof HubToViewer
type Listener = (frame: never) => void

export class HeardFrames {
  readonly #listeners = new Map<string, Set<Listener>>()

  static readonly names = Object.keys(hubToViewer) as Name[]

  /** Returns the way to stop. */
  on<N extends Name>(name: N, listener: (frame: FrameOf<HubToViewer, N>) => void): () => void {
    const known = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, known.add(listener))
    return () => known.delete(listener)
  }

  hear(name: Name, frame: unknown): void {
    const listeners = this.#listeners.get(name)
    if (!listeners?.size) return
    const read = hubToViewer[name].frame.safeParse(frame)
    if (read.success) for (const listener of [...listeners]) listener(read.data as never)
  }
}
