/** What every adapter is written on. */
export * from './report/listeners'
export * from './report/relay'
export * from './report/report'
