/**
 * Finds the client's address, for limits and the audit log. `X-Forwarded-For` counts only if a configured proxy passes it on
 * (T84): read from the right, the first address that is not one of those proxies is the client's.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { CodedError } from '@roundhouse/backend-types'

export interface FromSomewhere {
  socket: { remoteAddress?: string | undefined }
  headers: IncomingHttpHeaders
}

export type ClientAddress = (request: FromSomewhere) => string

/** Addresses and networks (`10.0.0.0/8`). Throws `INVALID_ARGUMENT` for what is neither. */
export function createClientAddress(proxies: readonly string[]): ClientAddress {
  const trusted = new BlockList()
  for (const proxy of proxies) addTo(trusted, proxy)
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, family(address))
  return ({ socket, headers }) => {
    const hops = String(headers['x-forwarded-for'] ?? '').split(',')
    let address = plain(socket.remoteAddress ?? '')
    while (isTrusted(address)) {
      const before = plain(hops.pop()?.trim() ?? '')
      if (isIP(before) === 0) break
      address = before
    }
    return address
  }
}

function addTo(list: BlockList, proxy: string): void {
  const [address = '', bits, ...rest] = proxy.split('/')
  const longest = isIP(address) === 4 ? 32 : 128
  const prefix = bits === undefined ? longest : Number(bits)
  const fits = Number.isInteger(prefix) && prefix >= 0 && prefix <= longest && bits !== ''
  if (isIP(address) === 0 || !fits || rest.length > 0) {
    throw new CodedError(
      'INVALID_ARGUMENT',
      `ROUNDHOUSE_TRUSTED_PROXIES: ${proxy} is neither an address nor a network.`,
    )
  }
  list.addSubnet(address, prefix, family(address))
}

const family = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** An IPv4 address that came in by an IPv6 socket is the same address. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')
