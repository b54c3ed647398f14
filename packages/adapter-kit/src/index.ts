/** What every adapter is written on. */
export * from './child/child-program'
export * from './report/listeners'
export * from './report/relay'
export * from './report/report'
export * from './rpc/json-rpc'
