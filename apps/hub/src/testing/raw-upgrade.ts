/** A plain upgrade request, which then says nothing: what the hub answered, and a way to hang up. */
import { get } from 'node:http'
import type { TestHub } from './test-hub'

export interface RawUpgrade {
  /** 101 where there is a socket now. */
  status: number
  /** Resolves when the hub, or `close`, ended it. */
  closed: Promise<void>
  close(): void
}

export function rawUpgrade(hub: TestHub, headers: Record<string, string>): Promise<RawUpgrade> {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
  }
  return new Promise((resolve, reject) => {
    const request = get(`${hub.url}/socket.io/?EIO=4&transport=websocket`, { headers: { ...upgrade, ...headers } })
    request.once('response', (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, closed: Promise.resolve(), close: () => {} })
    })
    request.once('upgrade', (_response, socket) => {
      socket.on('error', () => {})
      socket.resume()
      const closed = new Promise<void>((gone) => socket.once('close', () => gone()))
      resolve({ status: 101, closed, close: () => socket.destroy() })
    })
    request.once('error', reject)
  })
}
