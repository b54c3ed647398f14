/** A plain upgrade request, which then says only what it is told: what the hub answered, and a way to hang up. */
import { get } from 'node:http'
import type { TestHub } from './test-hub'
import { Waiter } from './waiter'

export interface RawUpgrade {
  /** 101 where there is a socket now. */
  status: number
  /** Resolves when the hub, or `close`, ended it. */
  closed: Promise<void>
  /** Everything that the hub sent since. */
  heard: () => string
  hears(text: string): Promise<void>
  /** Whole frames of WebSocket, in one write. */
  send(...frames: Buffer[]): void
  /** Reads nothing from now on. */
  pause(): void
  close(): void
}

const TEXT = 1
const PING = 9

/** A masked frame, as clients send them. */
function frame(opcode: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}
export const textFrame = (text: string) => frame(TEXT, text)
export const pingFrame = (text = '') => frame(PING, text)
/** A part of a text that never ends. */
export const partFrame = (isFirst: boolean) => Buffer.from([isFirst ? TEXT : 0, 0x80, 0, 0, 0, 0])

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
      const nothing = () => {}
      const none = {
        closed: Promise.resolve(),
        heard: () => '',
        hears: () => Promise.resolve(),
        send: nothing,
        pause: nothing,
        close: nothing,
      }
      resolve({ status: response.statusCode ?? 0, ...none })
    })
    request.once('upgrade', (_response, socket, head) => {
      socket.on('error', () => {})
      const waiter = new Waiter()
      let heard = head.toString('latin1')
      socket.on('data', (chunk) => {
        heard += chunk.toString('latin1')
        waiter.look()
      })
      const closed = new Promise<void>((gone) => socket.once('close', () => gone()))
      resolve({
        status: 101,
        closed,
        heard: () => heard,
        hears: (text) => waiter.until(() => heard.includes(text)),
        send: (...frames) => void socket.write(Buffer.concat(frames)),
        pause: () => void socket.pause(),
        close: () => socket.destroy(),
      })
    })
    request.once('error', reject)
  })
}
