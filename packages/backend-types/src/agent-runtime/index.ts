/** The runtime for channels and scripts: one prompt, its events, its result. */
export * from './channel'
export * from './delivery'
export * from './execute'
