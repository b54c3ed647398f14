import { isIPv6 } from 'node:net'

/** Of 8 parts; half of an IPv6 address is the subscriber's to choose. */
const NETWORK_PARTS = 4

/** Who counts as one where tries are counted: an IPv4 address, a whole IPv6 network (/64), anything else as it is. */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? []
  const parts = head === '' ? [] : head.split(':')
  const known = parts.length + (tail ? tail.split(':').length : 0)
  if (tail !== undefined)
    parts.push(...Array(Math.max(0, 8 - known)).fill('0'), ...(tail === '' ? [] : tail.split(':')))
  const network = parts.slice(0, NETWORK_PARTS).map((part) => Number.parseInt(part, 16).toString(16))
  return `${network.join(':')}::/64`
}
