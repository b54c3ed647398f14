/** What the event maps of both sockets have in common. */

/** What is sent with an event. */
export type FrameOf<Events, E extends keyof Events> = Events[E] extends (frame: infer Frame, ...rest: never) => void
  ? Frame
  : never
