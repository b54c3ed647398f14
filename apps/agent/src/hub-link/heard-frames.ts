/** What the hub says on a connection. Each frame is read by its row of the table, and nobody hears one that does not fit. */
import { type FrameOf, type HubToAgent, hubToAgent, OfSession, readFrame } from '@roundhouse/backend-types'
import type { HeardSocket } from './agent-socket'

type Name = keyof HubToAgent
type Read<N extends Name> = () => FrameOf<HubToAgent, N>

/** `read` throws `MALFORMED_FRAME`. */
export function hear<N extends Name>(
  socket: HeardSocket,
  name: N,
  then: (read: Read<N>, reply: unknown, frame: unknown) => void,
): void {
  const listener = (frame: unknown, reply: unknown) =>
    then(() => readFrame(hubToAgent[name].frame, frame) as FrameOf<HubToAgent, N>, reply, frame)
  socket.on(name, listener as never)
}

/** A frame that nobody answers: one that does not fit is no frame. */
export function hearWhatFits<N extends Name>(
  socket: HeardSocket,
  name: N,
  then: (frame: FrameOf<HubToAgent, N>) => void,
): void {
  socket.on(name, ((frame: unknown) => {
    const read = hubToAgent[name].frame.safeParse(frame)
    if (read.success) then(read.data as FrameOf<HubToAgent, N>)
  }) as never)
}

/** Also of one that does not fit, where it says so. */
export const sessionIn = (frame: unknown): string => OfSession.safeParse(frame).data?.sessionId ?? ''
