/** Runs, from the log of their session: pure, without a file or a process. The hub and agents use the same. */
export * from './agent-events'
export * from './cursor'
export * from './delivery-result'
export { failureOf } from './failure'
export * from './run-log'
export { type Sent, sideEffectsOf } from './side-effects'
