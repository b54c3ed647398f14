/** What every adapter is written on. */
export * from './adapter/define-adapter'
export * from './child/child-program'
export * from './files/read-notes'
export * from './program/ask-version'
export * from './program/find-program'
export * from './report/relay'
export * from './report/report'
export * from './rpc/json-rpc'
