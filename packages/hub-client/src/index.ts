/** The typed way to a hub: the browser, the tests and other people's programs use it and nothing else. */
export * from './browser-key'
export * from './inbox-watch'
export * from './indexed-keys'
export * from './key-store'
export * from './node-login'
export * from './prompt-help'
export * from './prover'
export * from './rest'
export * from './seen-event'
export * from './session-watch'
export * from './transport'
export * from './viewer-socket'

import { HubRest } from './rest'
import { Transport, type TransportOptions } from './transport'
import { ViewerSocket } from './viewer-socket'

export interface HubClient {
  rest: HubRest
  socket: ViewerSocket
  close(): void
}

export function createHubClient(options: TransportOptions): HubClient {
  const { onSignedOut } = options
  const socket = new ViewerSocket(options)
  const leave = () => {
    socket.refuse('AUTH_REQUIRED')
    onSignedOut?.()
  }
  const rest = new HubRest(new Transport({ ...options, ...(onSignedOut ? { onSignedOut: leave } : {}) }))
  if (onSignedOut) askWhoIsSignedIn(rest, socket)
  return { rest, socket, close: () => socket.close() }
}

/** A browser does not say why a connection failed. Whose login has ended meanwhile learns it by the answer to this. */
function askWhoIsSignedIn(rest: HubRest, socket: ViewerSocket): void {
  let asking = false
  socket.onState(({ state }) => {
    if ((state !== 'reconnecting' && state !== 'refused') || asking) return
    asking = true
    const done = () => {
      asking = false
    }
    rest.me().then(done, done)
  })
}
