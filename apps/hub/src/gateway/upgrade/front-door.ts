/** Refuses requests that the socket library would accept and that no client of the hub needs. */
import { type IncomingMessage, ServerResponse } from 'node:http'
import { CodedError } from '@roundhouse/backend-types'
import type { Socket } from 'socket.io'
import { fixedHeaders } from '../../auth/security-headers'
import type { Judge } from './handshake'

type Next = (error?: Error) => void

/**
 * Ahead of the handshake. Long polling does not exist: a plain request is answered like any other that asks for nothing,
 * Host first (WEB-1). An upgrade that names a connection would skip the judgement of handshakes, so it is refused.
 */
export function createFrontDoor(judge: Judge) {
  return (request: IncomingMessage, response: unknown, next: Next): void => {
    if (!(response instanceof ServerResponse)) {
      next(isUpgradeOfAnother(request) ? new Error('INVALID_ARGUMENT') : undefined)
      return
    }
    const { host, origin } = request.headers
    const foreign = judge(host, origin) === 'HOST_NOT_ALLOWED'
    const error = new CodedError(foreign ? 'HOST_NOT_ALLOWED' : 'NOT_FOUND')
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' }
    response.writeHead(error.status, { ...fixedHeaders, ...headers })
    response.end(JSON.stringify({ error: error.toBody() }))
  }
}

const isUpgradeOfAnother = ({ url }: IncomingMessage) => new URL(url ?? '/', 'http://hub').searchParams.has('sid')

/**
 * One socket of a namespace for each connection. The library makes another for every packet that asks while the first is
 * still judged, and each would get all that the first gets.
 */
export function onceEach() {
  const taken = new WeakSet<object>()
  return (socket: Socket, next: Next): void => {
    if (taken.has(socket.conn)) {
      next(new Error('MALFORMED_FRAME'))
      return
    }
    taken.add(socket.conn)
    socket.once('disconnect', () => taken.delete(socket.conn))
    next()
  }
}
