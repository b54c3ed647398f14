/**
 * Receives the hub's frames on a connection. It checks each frame against its row of the table and drops a frame that does not
 * fit.
 */
import { type FrameOf, type HubToAgent, hubToAgent, OfSession, readFrame } from '@roundhouse/backend-types'
import type { HeardSocket } from './agent-socket'

type Name = keyof HubToAgent
/** `read` throws `MALFORMED_FRAME`; `sessionId` is known also of a frame that does not fit, where it says so. */
type Heard<F> = (read: () => F, reply: unknown, sessionId: () => string) => unknown

/** A new row of the table is an error here until somebody hears it. */
export type HeardBy = { [N in Name]: Heard<FrameOf<HubToAgent, N>> }

export function hearAll(socket: HeardSocket, by: HeardBy): void {
  for (const name of Object.keys(hubToAgent) as Name[]) {
    const heard = by[name] as Heard<unknown>
    const listener = (frame: unknown, reply: unknown) =>
      void heard(
        () => readFrame(hubToAgent[name].frame, frame),
        reply,
        () => OfSession.safeParse(frame).data?.sessionId ?? '',
      )
    socket.on(name, listener as never)
  }
}

/** Nobody answers it: one that does not fit is no frame. */
export const ifItFits =
  <F>(then: (frame: F) => void): Heard<F> =>
  (read) => {
    let frame: F
    try {
      frame = read()
    } catch {
      return
    }
    then(frame)
  }
