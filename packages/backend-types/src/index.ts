/** The contract between every program of Roundhouse. Imports zod and itself, nothing else. */
import './no-eval'

export * from './adapter'
export * from './capabilities'
export * from './commands'
export * from './errors'
export * from './events'
export * from './ids'
export * from './link'
export * from './rest'
export * from './session'
export * from './token-budget'
