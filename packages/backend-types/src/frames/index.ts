/** The frames of all sockets. */
export * from './agent-frames'
export * from './bus-frames'
export * from './frame'
export * from './questions'
export * from './viewer-frames'
