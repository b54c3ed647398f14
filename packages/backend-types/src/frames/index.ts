/** The frames of both sockets. */
export * from './agent-frames'
export * from './frame'
export * from './questions'
export * from './viewer-frames'
