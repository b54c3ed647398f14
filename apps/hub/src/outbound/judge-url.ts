/** What can be said of an address before anybody is asked for it. */
import { isIP } from 'node:net'
import type { AddressRefusal } from '../core'
import type { Networks } from './networks'

/** Ports above 1023 on which other protocols listen: the fetch standard refuses them, too. */
const otherProtocols: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])
const FIRST_FREE_PORT = 1_024
const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Null: nothing is against it. In the clear it goes only where the operator named a network. */
export function urlRefusal(text: string, networks: Networks): AddressRefusal | null {
  if (!URL.canParse(text)) return 'invalid'
  const url = new URL(text)
  const standard = defaultPorts[url.protocol]
  if (standard === undefined) return 'scheme'
  if (url.protocol === 'http:' && networks.isEmpty) return 'scheme'
  if (url.username !== '' || url.password !== '') return 'credentials'
  if (url.hash !== '' || url.hostname === '') return 'invalid'
  const port = url.port === '' ? standard : Number(url.port)
  const isKnown = Object.values(defaultPorts).includes(port)
  if (!isKnown && (port < FIRST_FREE_PORT || otherProtocols.has(port))) return 'port'
  const literal = addressIn(url.hostname)
  return literal === null || mayConnect(literal, url.protocol, networks) ? null : 'address'
}

/** The address that a host name is by itself; null: it is a name. */
export function addressIn(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) === 0 ? null : bare
}

export const mayConnect = (address: string, protocol: string, networks: Networks): boolean =>
  protocol === 'https:' ? networks.reaches(address) : networks.names(address)
